// Sends links to people: by e-mail if a mail server is configured, otherwise as a marked line in
// the log.
import { createTransport } from 'nodemailer';
import type { Log } from '../foundation/log.ts';

export type LinkMail = {
  /**
   * How links reach people: by e-mail, in the log, or not at all (a reset on a server that others
   * can reach).
   */
  readonly way: 'smtp' | 'log' | 'none';
  /** Responses do not await this: its duration would reveal whether the e-mail exists. */
  send(link: { to: string; purpose: LinkPurpose; url: string }): Promise<void>;
  /** Passes a customer's request for another plan on to the operator, by e-mail or in the log. */
  requestUpgrade(request: UpgradeRequest): Promise<void>;
};

export type UpgradeRequest = {
  email: string;
  accountId: string;
  plan: string;
  requestedPlan: string;
};

/** `join`: a sign-up for an account that an operator has created. */
export type LinkPurpose = 'sign-up' | 'join' | 'reset' | 'already-signed-up';

const TEXTS: Readonly<Record<LinkPurpose, { subject: string; before: string; after: string }>> = {
  'sign-up': {
    subject: 'Finish signing up for Oversight',
    before: 'Open this link to choose a password and finish signing up:',
    after: 'It works once, for an hour. If you did not request it, ignore this e-mail.',
  },
  join: {
    subject: 'Finish signing up for Oversight',
    before: 'An account was created for you. Open this link to choose a password for it:',
    after: 'It works once, for an hour. If you did not request it, ignore this e-mail.',
  },
  reset: {
    subject: 'Choose a new password for Oversight',
    before: 'Open this link to choose a new password:',
    after: 'It works once, for an hour. If you did not request it, your password stays as it is.',
  },
  'already-signed-up': {
    subject: 'You already have an Oversight account',
    before:
      'Somebody tried to sign up with this address, which already has an account. Sign in as usual, or open this link to choose a new password:',
    after: 'It works once, for an hour. If you did not request it, your password stays as it is.',
  },
};

export function createLinkMail(input: {
  smtpUrl: string | null;
  from: string;
  /** Who gets the requests of customers; null: the log. */
  operator: string | null;
  /** Whether only this machine can reach the service. */
  isLoopback: boolean;
  log: Log;
}): LinkMail {
  const { smtpUrl, from, operator, isLoopback, log } = input;
  const logRequest = async (request: UpgradeRequest) =>
    log.warn({ ...request }, 'UPGRADE REQUEST: a customer asks for another plan');
  if (smtpUrl === null) {
    return {
      way: isLoopback ? 'log' : 'none',
      requestUpgrade: logRequest,
      async send({ to, purpose, url }) {
        // Readers of the log of a shared server must not gain access to existing accounts.
        if (purpose === 'sign-up' || isLoopback) {
          log.warn(
            { link: url, to, purpose },
            'LINK: no SMTP_URL is set, so this link is printed here instead of being e-mailed',
          );
        } else {
          log.warn(
            { purpose },
            'a link was requested but not sent: set SMTP_URL (links are logged only while no other machine can reach the service)',
          );
        }
      },
    };
  }
  const transport = createTransport(smtpUrl, { from });
  return {
    way: 'smtp',
    async requestUpgrade(request) {
      if (operator === null) return logRequest(request);
      try {
        await transport.sendMail({
          to: { name: '', address: operator },
          replyTo: { name: '', address: request.email },
          subject: `Oversight: ${request.email} asks for the plan ${request.requestedPlan}`,
          text: upgradeText(request),
        });
      } catch (error) {
        log.error({ ...request, reason: String(error) }, 'upgrade request could not be e-mailed');
      }
    },
    async send({ to, purpose, url }) {
      const { subject, before, after } = TEXTS[purpose];
      try {
        // As one address: a string would be parsed as a list.
        const one = { name: '', address: to };
        await transport.sendMail({ to: one, subject, text: `${before}\n\n${url}\n\n${after}\n` });
      } catch (error) {
        log.error({ purpose, reason: String(error) }, 'e-mail could not be sent');
      }
    },
  };
}

const upgradeText = ({ email, accountId, plan, requestedPlan }: UpgradeRequest) =>
  `${email} (account ${accountId}) is on the plan ${plan} and asks for ${requestedPlan}.\n\nTo change it:\n\n  npm run -s oversight -- plan set ${email} ${requestedPlan}\n`;
