import { useEffect } from 'react';
import { programmeName } from './programme.js';

/** Sets the title of the browser tab. Only pages call it: a frame around them would run later and overwrite the title. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${programmeName}`;
  }, [title]);
}
