// A process that sends equal requests at once and reads the responses as fast as possible, so that
// only the service is measured. Prints one line of JSON per response.
import { createHash } from 'node:crypto';
import { request } from 'node:http';

type Outcome = { status: number; bytes: number; isWhole: boolean; digest: string };

const [url = '', key = '', times = '1'] = process.argv.slice(2);

const read = () =>
  new Promise<Outcome>((resolve, reject) => {
    const sent = request(url, { headers: { 'x-api-key': key }, agent: false }, (response) => {
      const digest = createHash('sha256');
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        digest.update(chunk);
      });
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          bytes,
          isWhole: response.complete,
          digest: digest.digest('hex'),
        }),
      );
      response.on('error', () => {});
    });
    sent.on('error', reject);
    sent.end();
  });

const outcomes = await Promise.all(Array.from({ length: Number(times) }, read));
for (const outcome of outcomes) process.stdout.write(`${JSON.stringify(outcome)}\n`);
