// Beside the ranges: percent, compare, table and downloads.
import { Download, GitCompareArrows, Percent, Table2 } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { Menu } from '../design/menu.tsx';
import type { ChangeChoice, ChartChoice } from './chart-address.ts';
import type { Scene, Window } from './chart-model.ts';
import { csvOf } from './chart-rows.ts';
import type { ChartView } from './chart-view.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { saveFile, savePicture } from './save-chart.ts';
import type { useComparedBuybox } from './use-chart-sources.ts';

const ICON = 'size-4';

export function ChartTools(props: {
  code: string;
  title: string;
  scene: Scene;
  window: Window;
  view: () => ChartView | null;
  choice: ChartChoice;
  onChoice: ChangeChoice;
  other: ReturnType<typeof useComparedBuybox>;
}) {
  const { code, title, scene, window, choice, onChoice, other } = props;
  const [isComparing, setComparing] = useState(false);
  const on = (isOn: boolean) => classNames(isOn && 'bg-pressed! text-ink!');
  return (
    <>
      <IconButton
        size="sm"
        label="Show change in percent"
        aria-pressed={choice.isPercent}
        className={on(choice.isPercent)}
        icon={<Percent aria-hidden className={ICON} />}
        onClick={() => onChoice({ isPercent: !choice.isPercent })}
      />
      <IconButton
        size="sm"
        label="Compare with another product"
        className={on(choice.compare !== null)}
        icon={<GitCompareArrows aria-hidden className={ICON} />}
        onClick={() => setComparing(true)}
      />
      <IconButton
        size="sm"
        label="Show as table"
        aria-pressed={choice.isTable}
        className={on(choice.isTable)}
        icon={<Table2 aria-hidden className={ICON} />}
        onClick={() => onChoice({ isTable: !choice.isTable }, false)}
      />
      <Menu
        trigger={
          <IconButton size="sm" label="Download" icon={<Download aria-hidden className={ICON} />} />
        }
        entries={[
          {
            label: 'Picture (PNG)',
            onSelect: () => void savePicture(props.view(), { title, scene, window }, code),
          },
          {
            label: 'Values (CSV)',
            onSelect: () => saveFile(new Blob([csvOf(scene, window)]), `${code}.csv`),
          },
        ]}
      />
      <CompareDialog
        open={isComparing}
        onClose={() => setComparing(false)}
        code={code}
        compared={choice.compare}
        other={other}
        onCompare={(compare, isPercent) => onChoice({ compare, isPercent })}
      />
    </>
  );
}
