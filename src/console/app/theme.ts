import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** Teal, dark enough at 7 to be read on white, and light enough at 3 on the dark background (WCAG 2.2, 1.4.3). */
const teal: MantineColorsTuple = [
  '#e3f6f5',
  '#c9e9e7',
  '#9ed8d5',
  '#6fc5c1',
  '#48b0ab',
  '#2c9691',
  '#167d79',
  '#0b6663',
  '#075350',
  '#04403e',
];

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  colors: { teal },
  cursorType: 'pointer',
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
});
