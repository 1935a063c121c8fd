// Chooses the light, dark or system theme.
import { SegmentedControl } from '../design/tabs.tsx';
import { setTheme, THEMES, useThemeChoice } from '../design/theme.ts';

export function ThemeChooser() {
  const choice = useThemeChoice();
  return (
    <SegmentedControl
      label="Theme"
      value={choice}
      onChange={setTheme}
      options={THEMES.map(({ value, name, icon: Icon }) => ({
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
