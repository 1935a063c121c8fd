// Why the server rejected a webhook, and the field that is to blame.
import { ApiProblem, explain } from '../app/api-problem.ts';

export type Refusal = { field: 'name' | 'url' | 'events' | null; text: string };

const MEMBER = /^Body member (name|url|events) /;
const TARGET = /cannot be a webhook's target: (.*?)\.?$/;
const GOT = /; got [\s\S]*$/;

export function refusalOf(error: unknown): Refusal {
  const { detail } = explain(error);
  const field = error instanceof ApiProblem && error.status === 400 ? MEMBER.exec(detail) : null;
  if (field === null) return { field: null, text: detail };
  const name = field[1] as 'name' | 'url' | 'events';
  const reason = TARGET.exec(detail)?.[1];
  if (reason !== undefined)
    return { field: name, text: `Cannot be called: ${reason}.${advice(reason)}` };
  const rest = detail.slice(field[0].length).replace(GOT, '').replace(/\.$/, '');
  const needed = rest.replace(/^must be /, '');
  return { field: name, text: `${needed === rest ? 'Not valid: ' : 'Needed: '}${needed}.` };
}

/** What to do, if the reason alone does not say it. */
function advice(reason: string): string {
  if (reason === 'the address is not a URL') return ' Give it whole: https://example.com/hooks.';
  if (reason.startsWith('the name ')) return ' Check the spelling, and that it has a DNS entry.';
  if (/^address .* and not allowed$/.test(reason))
    return ' Use an address that the whole internet can reach.';
  return '';
}
