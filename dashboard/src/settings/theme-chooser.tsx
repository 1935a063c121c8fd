// Light, dark, or as the system has it.
import { Monitor, Moon, Sun } from 'lucide-react';
import { SegmentedControl } from '../design/tabs.tsx';
import { setTheme, type ThemeChoice, useThemeChoice } from '../theme.ts';

const OPTIONS: readonly { value: ThemeChoice; name: string; icon: typeof Sun }[] = [
  { value: 'light', name: 'Light', icon: Sun },
  { value: 'dark', name: 'Dark', icon: Moon },
  { value: 'system', name: 'System', icon: Monitor },
];

export function ThemeChooser() {
  const choice = useThemeChoice();
  return (
    <SegmentedControl
      label="Theme"
      value={choice}
      onChange={setTheme}
      options={OPTIONS.map(({ value, name, icon: Icon }) => ({
        value,
        name,
        label: (
          <>
            <Icon aria-hidden />
            {name}
          </>
        ),
      }))}
    />
  );
}
