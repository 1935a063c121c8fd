// Commands plan set, credits grant and limits set.
import { accountNamed, setRequestsPerSecond } from '../accounts/accounts.ts';
import { changePlan } from '../credits/change-plan.ts';
import { GRANT_MAX, grantCredits } from '../credits/grant-credits.ts';
import { type Balance, remainingCredits, totalCredits } from '../credits/settlement.ts';
import { isoTime } from '../foundation/clock.ts';
import { BUCKETS, type Bucket } from '../limits/bucket.ts';
import { type Command, type Result, requiredOption, WrongUsage, wholeNumber } from './command.ts';

const REQUESTS_PER_SECOND_MAX = 1_000_000;

function balanceResult(email: string, balance: Balance): Result {
  return {
    json: {
      account_id: balance.accountId,
      email,
      plan: balance.plan,
      next_plan: balance.nextPlan,
      credits: {
        total: totalCredits(balance),
        used_this_month: balance.used,
        remaining: remainingCredits(balance),
      },
      current_period_start: isoTime(balance.periodStartAtMs),
      next_refresh_date: isoTime(balance.periodEndAtMs),
    },
    text:
      `${email}: plan ${balance.plan}${balance.nextPlan === null ? '' : `, ${balance.nextPlan} from the next refresh`}; ` +
      `${remainingCredits(balance)} of ${totalCredits(balance)} credits remain until ${isoTime(balance.periodEndAtMs)}.`,
  };
}

export const creditCommands: readonly Command[] = [
  {
    name: 'plan set',
    words: ['ACCOUNT', 'PLAN'],
    usage: 'plan set ACCOUNT PLAN',
    on: 'app',
    async run(app, { words }) {
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      return balanceResult(email, await changePlan(app, { accountId, plan: words[1] as string }));
    },
  },
  {
    name: 'credits grant',
    words: ['ACCOUNT', 'N'],
    usage: 'credits grant ACCOUNT N --reason R',
    options: { reason: { type: 'string' } },
    on: 'app',
    async run(app, { words, options }) {
      const reason = requiredOption(options, 'reason');
      const credits = wholeNumber(words[1], 'N', GRANT_MAX);
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      return balanceResult(email, await grantCredits(app, { accountId, credits, reason }));
    },
  },
  {
    name: 'limits set',
    words: ['ACCOUNT'],
    usage: `limits set ACCOUNT --requests-per-second N [--bucket ${BUCKETS.join('|')}]`,
    options: { 'requests-per-second': { type: 'string' }, bucket: { type: 'string' } },
    on: 'app',
    async run(app, { words, options }) {
      const perSecond = wholeNumber(
        requiredOption(options, 'requests-per-second'),
        '--requests-per-second',
        REQUESTS_PER_SECOND_MAX,
      );
      const bucket = options.bucket;
      if (bucket !== undefined && !BUCKETS.includes(bucket as Bucket)) {
        throw new WrongUsage(`--bucket must be one of ${BUCKETS.join(', ')}.`);
      }
      const buckets = bucket === undefined ? BUCKETS : [bucket as Bucket];
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      await setRequestsPerSecond(app.db, { accountId, buckets, perSecond });
      const { requestsPerSecond } = await accountNamed(app.db, accountId);
      return {
        json: { account_id: accountId, requests_per_second: requestsPerSecond },
        text: `${email}: ${perSecond} requests a second for ${buckets.join(', ')}.`,
      };
    },
  },
];
