// The upper limit: a bare Fastify server that sends the same bytes from memory.
import { fastify } from 'fastify';

const body = Buffer.from(process.env.BODY ?? '');
const app = fastify();
app.get(process.env.BODY_PATH ?? '/retailer/product/details', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.on('SIGTERM', () => process.exit(0));
