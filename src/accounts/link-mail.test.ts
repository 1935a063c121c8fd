import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../foundation/log.ts';
import { createLinkMail } from './link-mail.ts';

function keptLog() {
  let text = '';
  const log = createLog('trace', {
    write(line) {
      text += line;
    },
  });
  return { log, text: () => text };
}

type Message = { from: string; to: string[]; data: string };

/** Enough of SMTP to be handed a message; to be called inside a test. */
async function openMailbox(resolveTo: { rcpt?: string } = {}) {
  const received: Message[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let message: Message = { from: '', to: [], data: '' };
    let inData = false;
    let rest = '';
    const say = (line: string) => socket.write(`${line}\r\n`);
    const hear = (line: string) => {
      if (inData) {
        if (line !== '.') {
          message.data += `${line}\n`;
          return;
        }
        inData = false;
        received.push(message);
        message = { from: '', to: [], data: '' };
        return say('250 taken');
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'MAIL') message.from = line;
      if (verb === 'RCPT') message.to.push(line);
      if (verb === 'RCPT' && resolveTo.rcpt !== undefined) return say(resolveTo.rcpt);
      inData = verb === 'DATA';
      if (verb === 'QUIT') return socket.end('221 bye\r\n');
      say(inData ? '354 go on' : '250 mailbox');
    };
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (part: string) => {
      const lines = (rest + part).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(line);
    });
    say('220 mailbox');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { received, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const plain = (data: string) => data.replaceAll('=\n', '').replaceAll('=3D', '=');

describe('with SMTP_URL', () => {
  test.each([
    ['sign-up', /Subject: Finish signing up/, 'https://o.example/finish-sign-up?token=a-token'],
    ['reset', /Subject: Choose a new password/, 'https://o.example/reset-password?token=a-token'],
    [
      'already-signed-up',
      /Subject: You already have an Oversight account/,
      'https://o.example/reset-password?token=b',
    ],
  ] as const)(
    'the link to %s arrives at the one address, and is not logged',
    async (purpose, subject, url) => {
      const [mailbox, kept] = [await openMailbox(), keptLog()];
      const from = 'Oversight <no-reply@o.example>';
      const mail = createLinkMail({
        operator: null,
        smtpUrl: mailbox.url,
        from,
        isLoopback: true,
        log: kept.log,
      });
      expect(mail.way).toBe('smtp');
      await mail.send({ to: 'ada@example.com', purpose, url });
      expect(mailbox.received).toHaveLength(1);
      const [message] = mailbox.received;
      expect(message?.from).toContain('<no-reply@o.example>');
      expect(message?.to).toEqual(['RCPT TO:<ada@example.com>']);
      expect(message?.data).toMatch(subject);
      expect(plain(message?.data ?? '')).toContain(url);
      expect(kept.text()).not.toContain('token');
    },
  );

  test('a request for another plan is mailed to the operator, or logged if there is none', async () => {
    const request = {
      email: 'name@example.com',
      accountId: '1',
      plan: 'Pro',
      requestedPlan: 'Scale',
    };
    for (const operator of ['operator@o.example', null]) {
      const [mailbox, kept] = [await openMailbox(), keptLog()];
      const mail = createLinkMail({
        smtpUrl: mailbox.url,
        from: 'a@o.example',
        operator,
        isLoopback: false,
        log: kept.log,
      });
      await mail.requestUpgrade(request);
      const [message] = mailbox.received;
      expect(message?.to ?? []).toEqual(operator === null ? [] : [`RCPT TO:<${operator}>`]);
      if (operator !== null) expect(plain(message?.data ?? '')).toContain('plan set name@');
      expect(kept.text().includes('UPGRADE REQUEST')).toBe(operator === null);
    }
  });

  test('a text that could be read as a list of addresses reaches none of them by itself', async () => {
    const [mailbox, kept] = [await openMailbox(), keptLog()];
    const mail = createLinkMail({
      operator: null,
      smtpUrl: mailbox.url,
      from: 'a@o.example',
      isLoopback: true,
      log: kept.log,
    });
    await mail.send({
      to: 'ada@example.com,other@example.org',
      purpose: 'reset',
      url: 'https://x',
    });
    expect(mailbox.received.flatMap(({ to }) => to)).not.toContain('RCPT TO:<other@example.org>');
  });

  test('logs a refusing or unreachable server without the link', async () => {
    const mailbox = await openMailbox({ rcpt: '550 nobody here' });
    for (const smtpUrl of [mailbox.url, 'smtp://user:pass-word@127.0.0.1:1']) {
      const kept = keptLog();
      const mail = createLinkMail({
        operator: null,
        smtpUrl,
        from: 'a@o.example',
        isLoopback: true,
        log: kept.log,
      });
      await mail.send({
        to: 'ada@example.com',
        purpose: 'reset',
        url: 'https://x/?token=secret-token',
      });
      expect(kept.text()).toContain('e-mail could not be sent');
      expect(kept.text()).not.toMatch(/secret-token|pass-word/);
    }
    expect(mailbox.received).toEqual([]);
  });
});

describe('without SMTP_URL', () => {
  const url = 'http://o.example/?token=secret-token';

  test.each([
    ['sign-up', true, true],
    ['reset', true, true],
    ['already-signed-up', true, true],
    ['sign-up', false, true],
    ['reset', false, false],
    ['already-signed-up', false, false],
  ] as const)(
    'the link to %s, only this machine reaches us: %s; is logged: %s',
    async (purpose, isLoopback, isLogged) => {
      const kept = keptLog();
      const mail = createLinkMail({
        operator: null,
        smtpUrl: null,
        from: 'a@o.example',
        isLoopback,
        log: kept.log,
      });
      expect(mail.way).toBe(isLoopback ? 'log' : 'none');
      await mail.send({ to: 'ada@example.com', purpose, url });
      expect(kept.text().includes('secret-token')).toBe(isLogged);
      expect(kept.text().includes('ada@example.com')).toBe(isLogged);
      expect(kept.text()).not.toBe('');
    },
  );
});
