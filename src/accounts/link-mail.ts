// The two links that are sent to people: by e-mail where a server for it is set, else as a marked line in the log.
import { createTransport } from 'nodemailer';
import type { Log } from '../foundation/log.ts';

export type LinkMail = {
  /** How links reach people: by e-mail, in the log, or (a reset on a server others can reach) not at all. */
  readonly way: 'smtp' | 'log' | 'none';
  /** Never awaited by an answer: how long it takes would tell whether the e-mail is known. */
  send(link: { to: string; purpose: LinkPurpose; url: string }): Promise<void>;
};

/** `join`: a sign-up for an account that an operator has made already. */
export type LinkPurpose = 'sign-up' | 'join' | 'reset' | 'already-signed-up';

const TEXTS: Readonly<Record<LinkPurpose, { subject: string; before: string; after: string }>> = {
  'sign-up': {
    subject: 'Finish signing up for Oversight',
    before: 'Open this link to choose a password and finish signing up:',
    after: 'It works once, for an hour. If you did not ask for it, nothing happens without you.',
  },
  join: {
    subject: 'Finish signing up for Oversight',
    before: 'An account was made for you. Open this link to choose a password for it:',
    after: 'It works once, for an hour. If you did not ask for it, nothing happens without you.',
  },
  reset: {
    subject: 'Choose a new password for Oversight',
    before: 'Open this link to choose a new password:',
    after: 'It works once, for an hour. If you did not ask for it, your password stays as it is.',
  },
  'already-signed-up': {
    subject: 'You have an account at Oversight already',
    before:
      'Somebody asked to sign up with this address, which has an account. Sign in as usual, or open this link to choose a new password:',
    after: 'It works once, for an hour. If you did not ask for it, your password stays as it is.',
  },
};

export function createLinkMail(input: {
  smtpUrl: string | null;
  from: string;
  /** Whether only this machine can reach the service. */
  isLoopback: boolean;
  log: Log;
}): LinkMail {
  const { smtpUrl, from, isLoopback, log } = input;
  if (smtpUrl === null) {
    return {
      way: isLoopback ? 'log' : 'none',
      async send({ to, purpose, url }) {
        // Whoever reads the log of a server that others use must not get into accounts that are there.
        if (purpose === 'sign-up' || isLoopback) {
          log.warn(
            { link: url, to, purpose },
            'LINK: no SMTP_URL is set, so this link is printed here instead of being e-mailed',
          );
        } else {
          log.warn(
            { purpose },
            'a link was asked for and not sent: set SMTP_URL (it is printed only while nobody else can reach the service)',
          );
        }
      },
    };
  }
  const transport = createTransport(smtpUrl, { from });
  return {
    way: 'smtp',
    async send({ to, purpose, url }) {
      const { subject, before, after } = TEXTS[purpose];
      try {
        // As one address: a text would be read as a list of them.
        const one = { name: '', address: to };
        await transport.sendMail({ to: one, subject, text: `${before}\n\n${url}\n\n${after}\n` });
      } catch (error) {
        log.error({ purpose, reason: String(error) }, 'an e-mail could not be sent');
      }
    },
  };
}
