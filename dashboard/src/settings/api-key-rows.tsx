// The rows of the API keys: a table on a wide screen, a list on a phone.
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { RelativeTime, Time } from '../design/time.tsx';
import type { ApiKey } from '../keys/api-keys.ts';

export type KeysProps = { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void };

export function KeyTable({ keys, onRevoke }: KeysProps) {
  return (
    <DataTable caption="Your API keys">
      <TableHead>
        <Th>Name</Th>
        <Th>Key</Th>
        <Th>Created</Th>
        <Th>Last used</Th>
        <Th align="end">
          <span className="sr-only">Revoke</span>
        </Th>
      </TableHead>
      <TableBody>
        {keys.map((key) => (
          <Tr key={key.id}>
            <Td className="max-w-56 truncate font-medium text-ink" title={key.name}>
              {key.name}
            </Td>
            <Td>
              <Hint apiKey={key} />
            </Td>
            <Td className="text-muted">
              <Time at={key.created_at} show="day" />
            </Td>
            <Td className="text-muted">
              <LastUsed apiKey={key} />
            </Td>
            <Td align="end" className="w-44 whitespace-nowrap">
              <State apiKey={key} onRevoke={onRevoke} />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </DataTable>
  );
}

export function KeyList({ keys, onRevoke }: KeysProps) {
  return (
    <ul aria-label="Your API keys" className="divide-y divide-line">
      {keys.map((key) => (
        <li key={key.id} className="flex items-center gap-3 px-4 py-2.5">
          <div className="min-w-0 flex-1">
            <div className="text-sm font-medium wrap-anywhere text-ink">{key.name}</div>
            <Hint apiKey={key} />
            <div className="text-xs text-muted">
              Created <Time at={key.created_at} show="day" /> ·{' '}
              <LastUsed apiKey={key} prefix="used " />
            </div>
          </div>
          <State apiKey={key} onRevoke={onRevoke} />
        </li>
      ))}
    </ul>
  );
}

function Hint({ apiKey }: { apiKey: ApiKey }) {
  return <code className="font-mono text-xs text-muted">{apiKey.hint}</code>;
}

function LastUsed({ apiKey, prefix = '' }: { apiKey: ApiKey; prefix?: string }) {
  if (apiKey.last_used_at === null) return <span>never used</span>;
  return (
    <>
      {prefix}
      <RelativeTime at={apiKey.last_used_at} />
    </>
  );
}

function State({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: (key: ApiKey) => void }) {
  if (apiKey.revoked_at !== null)
    return (
      <span className="inline-flex flex-col items-end gap-x-2 gap-y-0.5 text-xs text-muted md:flex-row md:items-center">
        <Badge tone="neutral">Revoked</Badge>
        <Time at={apiKey.revoked_at} show="day" />
      </span>
    );
  return (
    <Button
      size="sm"
      variant="danger"
      aria-label={`Revoke ${apiKey.name}`}
      onClick={() => onRevoke(apiKey)}
    >
      Revoke
    </Button>
  );
}
