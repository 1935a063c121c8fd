// The colours of pictures: those of the dashboard, light and dark.

export type ThemeName = 'light' | 'dark';

export type ChartTheme = Readonly<
  Record<
    | 'surface'
    | 'line'
    | 'grid'
    | 'ink'
    | 'muted'
    | 'price'
    | 'rank'
    | 'stock'
    | 'events'
    | 'none'
    | 'unobserved',
    string
  >
>;

export const CHART_THEMES: Readonly<Record<ThemeName, ChartTheme>> = {
  light: {
    surface: '#ffffff',
    line: '#d2d2d7',
    grid: '#ececef',
    ink: '#18181b',
    muted: '#55555f',
    price: '#3451d1',
    rank: '#9d4edd',
    stock: '#1a8a78',
    events: '#c2410c',
    none: '#fbe3b4',
    unobserved: '#ededf0',
  },
  dark: {
    surface: '#151518',
    line: '#3a3a40',
    grid: '#232327',
    ink: '#ededf0',
    muted: '#a9a9b4',
    price: '#8196ff',
    rank: '#c08bf0',
    stock: '#45bfa9',
    events: '#f0845a',
    none: '#4a3814',
    unobserved: '#26262b',
  },
};
