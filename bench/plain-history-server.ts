// The plain way of a paid price history: one row per point, objects, JSON.stringify, one transaction per charge.
import { fastify } from 'fastify';
import { openDatabase } from '../src/database/database.ts';
import { createLog } from '../src/foundation/log.ts';

const db = openDatabase(JSON.parse(process.env.CONNECTION ?? ''), createLog('warn'));
const app = fastify();

app.get('/retailer/product/price-history', async (request, reply) => {
  const { retailer_product_code: code } = request.query as { retailer_product_code: string };
  const points = await db.query<{ at: number; cents: number }>(
    'select at, cents from plain_points where code = $1 order by at',
    [code],
  );
  const json = JSON.stringify({
    retailer_product_code: code,
    priceHistory: points.map(({ at, cents }) => ({
      date: new Date(at).toISOString(),
      price: cents / 100,
    })),
  });
  const account = Number(code) % 1_000;
  await db.transaction(async (tx) => {
    await tx.query(
      'update plain_balances set used = used + 15 where account = $1 and used + 15 <= total',
      [account],
    );
    await tx.query('insert into plain_charges (account, credits, code) values ($1, 15, $2)', [
      ...[account, code],
    ]);
  });
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.on('SIGTERM', () => process.exit(0));
