// The owner's data: exporting it, requesting its deletion and cancelling that request.
import { describe, expect, test } from 'vitest';
import { closeAccount } from '../../../src/closing/close-account.ts';
import { startService } from '../../support/service.ts';
import {
  eventually,
  newSession,
  PASSWORD,
  type Person,
  sendRequest,
  signedIn,
} from '../../support/session.ts';

const service = await startService();

const post = (person: Person, path: string, body: unknown) =>
  sendRequest(service, person, { method: 'POST', path: `/session/account/${path}`, body });
const get = (person: Person, path: string) => sendRequest(service, person, { method: 'GET', path });
const requestDeletion = (person: Person, more: object = {}) =>
  post(person, 'delete', { password: PASSWORD, confirm_email: person.email, ...more });

describe('requesting the deletion', () => {
  test('needs the password and the e-mail typed again, and names the field that is wrong', async () => {
    const person = await signedIn(service);
    for (const [wrong, field] of [
      [{ password: 'not the password' }, 'password'],
      [{ confirm_email: 'other@example.com' }, 'confirm_email'],
    ] as const) {
      const reply = await requestDeletion(person, wrong);
      expect([reply.status, reply.body.field]).toEqual([400, field]);
    }
    expect((await get(person, '/session')).body.account.delete_at).toBeNull();
  });

  test('guesses at the password are bounded, and count for this person alone', async () => {
    const [person, other] = [await signedIn(service), await signedIn(service)];
    const wrong = () => requestDeletion(person, { password: 'x'.repeat(200) });
    const statuses: number[] = [];
    for (let tries = 0; tries < 22; tries++) statuses.push((await wrong()).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await requestDeletion(other, { password: 'wrong' })).status).toBe(400);
  });

  test('closes the account; a session then reaches only the date, the export and the restore', async () => {
    const person = await signedIn(service);
    const deletion = await requestDeletion(person, {
      confirm_email: ` ${person.email.toUpperCase()} `,
    });
    expect(deletion.status).toBe(200);
    const days = (Date.parse(deletion.body.delete_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    await eventually(async () =>
      (await service.get(person, '/user/credits')).status === 404 ? true : undefined,
    );
    const again = { ...person, cookie: await newSession(service, person) };
    for (const who of [person, again]) {
      const { body } = await get(who, '/session');
      expect(body.account.delete_at).toBe(deletion.body.delete_at);
      for (const path of ['/session/keys', '/session/user/credits', '/session/live']) {
        expect([path, (await get(who, path)).status]).toEqual([path, 404]);
      }
    }
    const archive = await service.server.inject({
      url: '/session/account/export',
      headers: { cookie: again.cookie, host: '127.0.0.1:8080', 'sec-fetch-site': 'same-origin' },
    });
    expect([archive.statusCode, archive.headers['content-type']]).toEqual([200, 'application/zip']);
    expect(archive.headers['content-disposition']).toMatch(
      /^attachment; filename="oversight-export-/,
    );
    expect(archive.rawPayload.subarray(0, 2).toString()).toBe('PK');
    const restored = await post(again, 'restore', {});
    expect([restored.status, restored.body]).toEqual([200, { delete_at: null }]);
    expect((await get(person, '/session/keys')).status).toBe(200);
    expect((await post(again, 'restore', {})).status).toBe(409);
  });

  test('an account that the operator has closed cannot be restored by its owner', async () => {
    const person = await signedIn(service);
    await requestDeletion(person);
    await closeAccount(service.app, person.accountId);
    const again = { ...person, cookie: await newSession(service, person) };
    expect((await post(again, 'restore', {})).status).toBe(404);
    expect((await get(again, '/session')).status).toBe(404);
  });
});
