// A plain implementation of paid price histories: one row per point, JSON.stringify, one
// transaction per charge.
import { createHash } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ ...JSON.parse(process.env.CONNECTION ?? ''), max: 16 });
const app = fastify();

app.get('/retailer/product/price-history', async (request, reply) => {
  const { retailer_product_code: code } = request.query as { retailer_product_code: string };
  const hash = createHash('sha256').update(String(request.headers['x-api-key'])).digest();
  const keys = await pool.query('select account from plain_keys where hash = $1', [hash]);
  const account = keys.rows[0]?.account;
  if (account === undefined) return reply.code(401).send();
  const points = await pool.query<{ at: Date; price: string }>(
    'select at, price from plain_points where code = $1 order by at',
    [code],
  );
  const priceHistory = points.rows.map(({ at, price }) => ({ date: at, price: Number(price) }));
  const json = JSON.stringify({ retailer_product_code: code, priceHistory });
  await charge(account, code);
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
});

async function charge(account: number, code: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const paid = await client.query(
      'update plain_balances set used = used + 15 where account = $1 and used + 15 <= total',
      [account],
    );
    if (paid.rowCount !== 1) throw new Error('a charge was refused');
    await client.query(
      'insert into plain_charges (account, at, credits, code) values ($1, now(), 15, $2)',
      [account, code],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.on('SIGTERM', () => process.exit(0));
