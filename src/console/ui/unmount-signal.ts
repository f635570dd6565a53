import { useEffect, useState } from 'react';

/** Is aborted when the component is removed: work in several requests ends there. */
export function useUnmountSignal(): AbortSignal {
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), [controller]);
  return controller.signal;
}
