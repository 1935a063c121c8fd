// Retries all quarantined items, as the operator's command does.
import { listQuarantined } from '../../src/background/quarantined-items.ts';
import { QUARANTINE_HANDLERS } from '../../src/quarantine-loops.ts';
import type { Service } from './service.ts';

export async function retryAll({ app }: Pick<Service, 'app'>): Promise<void> {
  for (const item of await listQuarantined(app.db, { limit: 100 })) {
    const handler = QUARANTINE_HANDLERS.find(({ loop }) => loop === item.loop);
    await handler?.retry(app, item);
  }
}
