// The fields for the kinds of events: all, a group, or single kinds.
import { useId } from 'react';
import { Checkbox } from '../design/choice.tsx';
import {
  EVENT_GROUPS,
  type EventChoice,
  type EventGroup,
  groupState,
  withGroup,
  withKinds,
} from './event-choice.ts';

export function EventChoiceField({
  choice,
  onChange,
  error,
}: {
  choice: EventChoice;
  onChange: (choice: EventChoice) => void;
  error?: string | undefined;
}) {
  const errorId = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-xs font-medium text-ink">Events</legend>
      <div className="overflow-hidden rounded-md border border-line-strong">
        <Checkbox
          label="All events (*)"
          hint="Includes kinds that are added later, but not your rules."
          checked={choice.everything}
          // A checkbox group cannot show the error itself, so its first box does.
          errorId={error ? errorId : undefined}
          onChange={(everything) => onChange({ ...choice, everything })}
          className="bg-sunken px-3 py-2"
        />
        <div className="grid border-t border-line sm:grid-cols-2">
          {EVENT_GROUPS.map((group) => (
            <Group key={group.name} group={group} choice={choice} onChange={onChange} />
          ))}
        </div>
      </div>
      {error ? (
        <p id={errorId} role="alert" className="mt-1 text-xs text-critical">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

function Group({
  group,
  choice,
  onChange,
}: {
  group: EventGroup;
  choice: EventChoice;
  onChange: (choice: EventChoice) => void;
}) {
  const state = groupState(choice, group);
  const isIncluded = choice.everything && !group.isNamed;
  return (
    <fieldset className="min-w-0 border-line px-3 py-2.5 not-last:border-b sm:odd:not-last:border-r">
      <legend className="sr-only">{group.name}</legend>
      <Checkbox
        label={
          <>
            <span className="font-medium">{group.name}</span>{' '}
            <span className="text-xs text-muted">all {group.kinds.length}</span>
          </>
        }
        checked={state === 'all'}
        mixed={state === 'some'}
        disabled={isIncluded}
        onChange={(isOn) => onChange(withGroup(choice, group, isOn))}
      />
      <div className="mt-1.5 flex flex-col gap-1 pl-6 coarse:gap-2.5">
        {group.kinds.map(({ kind, meaning }) => (
          <Checkbox
            key={kind}
            label={
              <>
                <span className="font-mono text-xs">{kind}</span>{' '}
                <span className="text-xs text-muted">{meaning}</span>
              </>
            }
            checked={isIncluded || choice.kinds.has(kind)}
            disabled={isIncluded}
            onChange={(isOn) => onChange(withKinds(choice, [kind], isOn))}
          />
        ))}
      </div>
    </fieldset>
  );
}
