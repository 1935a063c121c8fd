// Command marketplace: serves the simulated marketplace as a feed until it is stopped.
import { realClock } from '../foundation/clock.ts';
import { startFeedServer } from '../sources/simulated/feed-server.ts';
import { createSimulatedSource } from '../sources/simulated/simulated-source.ts';
import { type Command, requiredOption, wholeNumber } from './command.ts';
import { cannotListen, stopSignal } from './listening.ts';

export const marketplaceCommands: readonly Command[] = [
  {
    name: 'marketplace',
    words: [],
    usage: 'marketplace --port N [--host 127.0.0.1] [--token T]',
    options: {
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      token: { type: 'string' },
    },
    on: 'nothing',
    async run(say, { options }) {
      const port = wholeNumber(requiredOption(options, 'port'), '--port', 65_535);
      const host = requiredOption(options, 'host');
      const token = typeof options.token === 'string' ? options.token : null;
      const stopped = stopSignal();
      const clock = realClock;
      const source = createSimulatedSource({ clock });
      const server = await startFeedServer({ source, clock, host, port, token }).catch((error) => {
        throw cannotListen(error, `${host}:${port}`);
      });
      const code = source.productAt(0).code;
      say({
        json: { address: server.address, products: source.productCount, first_code: code },
        text: [
          `The simulated marketplace listens at ${server.address}. Press Ctrl-C to stop it.`,
          `  curl ${server.address}/products/${code}`,
          `  curl -X PUT ${server.address}/control -d '{"delay_ms":0,"fail_rate":0,"nonsense":false,"lost_fraction":0}'`,
          `  MARKETPLACE=feed MARKETPLACE_URL=${server.address} npm start`,
        ].join('\n'),
      });
      await stopped;
      await server.close();
      return { json: { stopped: true }, text: 'Stopped.' };
    },
  },
];
