import { useEffect, useState } from 'react';

/** Signal that is aborted when the component unmounts, to stop work of several requests. */
export function useUnmountSignal(): AbortSignal {
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), [controller]);
  return controller.signal;
}
