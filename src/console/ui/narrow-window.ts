import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is narrow: the menu covers the page, and large dialogs fill the window. app.css has the same width. */
export const useNarrowWindow = (): boolean =>
  useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
