// Compares what customers and their endpoints saw with what the service recorded.
import { type Customer, compareLedger, readFeedOnce } from './customers.ts';
import type { Endpoints } from './endpoints.ts';
import { type Machine, operatorCommand } from './machine.ts';

const DRAIN_MAX_MS = 300_000;
const DRAIN_POLL_MS = 5_000;

type Arrivals = { endpoints: Endpoints; expected: readonly Set<string>[] };

/** Waits until every expected event has arrived at its good endpoint, or time is up. */
export async function drain(
  customers: readonly Customer[],
  { endpoints, expected, say }: Arrivals & { say: (text: string) => void },
): Promise<void> {
  const giveUpMs = performance.now() + DRAIN_MAX_MS;
  const missing = () =>
    customers.reduce((sum, { index }) => {
      const accepted = endpoints.accepted(index, 'good');
      return sum + [...(expected[index] ?? [])].filter((id) => !accepted.has(id)).length;
    }, 0);
  for (let left = missing(); left > 0 && performance.now() < giveUpMs; left = missing()) {
    say(`${left} events are on their way`);
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }
}

/** Returns charges and events that were lost, doubled or invented. */
export async function compareRecords(
  input: Arrivals & { customers: readonly Customer[]; address: string },
): Promise<string[]> {
  const { endpoints, customers, expected, address } = input;
  const problems: string[] = [];
  for (const customer of customers) {
    problems.push(...(await compareLedger(customer, address)));
    // Copied before the feed is read further, because events keep arriving.
    const accepted = new Set(endpoints.accepted(customer.index, 'good'));
    while (await readFeedOnce(customer, address));
    const lost = [...(expected[customer.index] ?? [])].filter((id) => !accepted.has(id));
    const invented = [...accepted].filter((id) => !customer.feed.has(id));
    if (lost.length > 0) problems.push(`${customer.email}: ${lost.length} events did not arrive`);
    if (invented.length > 0) problems.push(`${customer.email}: ${invented.length} unknown events`);
  }
  if (endpoints.contradictions() > 0) problems.push(`${endpoints.contradictions()} changed bodies`);
  return problems;
}

export async function findingsOfDoctor(machine: Machine): Promise<string[]> {
  const { json } = await operatorCommand(machine, 'doctor');
  const checks = json.checks as { name: string; ok: boolean; detail: string }[];
  return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `doctor: ${name}: ${detail}`);
}
