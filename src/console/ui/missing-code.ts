import { useEffect, useState } from 'react';

/** Why code or translations could not be loaded: `failed` means for an unknown reason. */
export type MissingCodeReason = 'offline' | 'updated' | 'failed';

/** URL of the script of this page. Its name has a hash, so another version has another script. */
const ownScript = document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';

/** Reads the page again to find out the reason. */
async function findReason(): Promise<MissingCodeReason> {
  try {
    const response = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-store' });
    const page = await response.text();
    if (!response.ok) return 'offline';
    return page.includes(ownScript) ? 'failed' : 'updated';
  } catch {
    return 'offline';
  }
}

/** Finds out why code could not be loaded; undefined until then. @param isMissing whether code could not be loaded */
export function useMissingCodeReason(isMissing = true): MissingCodeReason | undefined {
  const [reason, setReason] = useState<MissingCodeReason>();
  useEffect(() => {
    if (!isMissing) return undefined;
    let isCurrent = true;
    // `findReason` never fails.
    void findReason().then((found) => isCurrent && setReason(found));
    return () => {
      isCurrent = false;
      setReason(undefined);
    };
  }, [isMissing]);
  return reason;
}

/** Calls a function when the device is online again. */
export function useOnline(isNeeded: boolean, onOnline: () => void): void {
  useEffect(() => {
    if (!isNeeded) return undefined;
    window.addEventListener('online', onOnline);
    return () => window.removeEventListener('online', onOnline);
  });
}
