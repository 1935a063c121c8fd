// Edits the rules of one product: five groups of thresholds; an empty field means the default.
import { RotateCcw } from 'lucide-react';
import { Button } from '../design/button.tsx';
import { NumberField } from '../design/field.tsx';
import {
  draftOf,
  RULE_GROUPS,
  type RuleGroup,
  type RulesDraft,
  ruleProblem,
  rulesOf,
} from './rules.ts';

export function RulesEditor({
  draft,
  onChange,
}: {
  draft: RulesDraft;
  onChange: (draft: RulesDraft) => void;
}) {
  return (
    <div className="flex flex-col gap-4">
      {RULE_GROUPS.map((group) => (
        <RuleFields
          key={group.name}
          group={group}
          values={draft[group.name] ?? {}}
          onChange={(values) => onChange({ ...draft, [group.name]: values })}
        />
      ))}
      <div>
        <Button
          size="sm"
          icon={<RotateCcw aria-hidden className="size-3.5" />}
          disabled={rulesOf(draft) === null}
          onClick={() => onChange(draftOf(null))}
        >
          Use the defaults
        </Button>
      </div>
    </div>
  );
}

function RuleFields({
  group,
  values,
  onChange,
}: {
  group: RuleGroup;
  values: Readonly<Record<string, number | null>>;
  onChange: (values: Readonly<Record<string, number | null>>) => void;
}) {
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium text-ink">{group.title}</legend>
      <p className="mb-1.5 text-xs text-muted">{group.note}</p>
      <div className="grid grid-cols-2 gap-3">
        {group.members.map((member) => {
          const value = values[member.name] ?? null;
          return (
            <NumberField
              key={member.name}
              label={member.label}
              value={value}
              onChange={(now) => onChange({ ...values, [member.name]: now })}
              min={0}
              max={member.max}
              step={member.isWhole ? 1 : 0.01}
              placeholder={`default ${member.standard}`}
              suffix={member.suffix}
              error={ruleProblem(member, value)}
            />
          );
        })}
      </div>
    </fieldset>
  );
}
