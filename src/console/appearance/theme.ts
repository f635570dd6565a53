import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Teal: shades 6 and 7 are dark enough for white text on them (WCAG 2.2, 1.4.3). */
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

/** Menus and lists of choices are drawn within the page's main part, so that all content is in a landmark (axe: region). */
const portalProps = { target: '#content' };
// The list itself scrolls, as it is what the arrow keys move in (axe: scrollable-region-focusable).
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
    // Without the placeholder the first item has the focus at once, and the menu has no children but items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps } },
    Select: choices,
    Autocomplete: choices,
    TagsInput: choices,
    // Moved dialogs would cut off the lists in them, whose place is fixed.
    Modal: { defaultProps: { transitionProps: { transition: 'fade' } } },
    ModalTitle: { defaultProps: { fw: 650 } },
    // A page has one banner: the header of a dialog isn't another (axe: landmark-no-duplicate-banner).
    ModalHeader: { defaultProps: { role: 'none' } },
  },
});

/** Mantine's own colours of less important text, of errors and of titles of warnings are too weak to be read (WCAG 2.2, 1.4.3). */
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
