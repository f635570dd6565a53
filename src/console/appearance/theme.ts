import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Teal: shades 6 and 7 are dark enough for white text (WCAG 2.2, 1.4.3). */
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

/** Menus and dropdown lists are rendered inside `main`, so that all content is in a landmark (axe: region). */
const portalProps = { target: '#content' };
// The list itself scrolls, because the arrow keys move in the list (axe: scrollable-region-focusable).
const choices = {
  defaultProps: { comboboxProps: { portalProps }, withScrollArea: false },
  classNames: { options: 'choice-list' },
};

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.3,
  colors: { teal },
  cursorType: 'pointer',
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: {
    // Without the placeholder, the first item gets the focus immediately, and the menu has only items as children.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps } },
    Select: choices,
    Autocomplete: choices,
    TagsInput: choices,
    // A moving transition would cut off dropdown lists in dialogs, which have a fixed position.
    Modal: { defaultProps: { transitionProps: { transition: 'fade' } } },
    ModalTitle: { defaultProps: { fw: 650 } },
    // The header of a dialog is not a second banner of the page (axe: landmark-no-duplicate-banner).
    ModalHeader: { defaultProps: { role: 'none' } },
  },
});

/** Replaces colours of Mantine with too little contrast: dimmed text, errors, titles of warnings (WCAG 2.2, 1.4.3). */
export const colorVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55606a',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-placeholder': '#626c75',
    '--mantine-color-yellow-light-color': '#7a4d00',
    '--mantine-color-yellow-outline': '#7a4d00',
  },
  dark: {
    '--mantine-color-anchor': '#6fc5c1',
    '--mantine-color-dimmed': '#b3b9c0',
    '--mantine-color-error': '#ff9b94',
    '--mantine-color-placeholder': '#a3a9b0',
  },
});
