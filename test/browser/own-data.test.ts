// The owner exports the data of an account, requests its deletion and cancels it, in a real
// browser.
import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser-tests.ts';
import { seriousBarriers, visit } from '../support/browser-visit.ts';
import { startService } from '../support/service.ts';
import { PASSWORD, signedIn } from '../support/session.ts';

describeInBrowser('the owner’s data', async () => {
  const service = await startService();
  const person = await signedIn(service);
  const browser = await visit(service);

  test('a deletion needs the e-mail and the password, shows its date, and can be cancelled', async () => {
    const { page } = await browser.open(person);
    await page.goto('/settings');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export all data' }).click();
    expect((await download).suggestedFilename()).toMatch(/^oversight-export-[\d-]+\.zip$/);
    await page.getByRole('button', { name: 'Delete account…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this account?' });
    const confirm = dialog.getByRole('button', { name: 'Delete account' });
    const password = dialog.getByLabel('Password', { exact: true });
    await confirm.click();
    await dialog.getByText('Enter your password.').waitFor();
    await dialog.getByLabel(`Type ${person.email} to confirm`).fill(person.email);
    await password.fill('not the password');
    await confirm.click();
    await dialog.getByText('The password is incorrect.').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await password.fill(PASSWORD);
    await confirm.click();
    await page.getByRole('heading', { name: 'This account will be deleted' }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Restore account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });
});
