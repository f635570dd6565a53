import { useCallback, useEffect, useRef, useState } from 'react';
import { upload } from '../api/client.js';
import { useRefresh } from '../api/queries.js';

/** A file that is being sent, waits for that, or was refused. */
export interface Upload {
  key: number;
  file: File;
  /** How much of it is sent, from 0 to 1. */
  share: number;
  /** Why it was refused. */
  failure?: unknown;
}

/**
 * Sends files to a course, one after the other; those that have arrived are in the list of materials. Leaving the page stops
 * that: nobody would see what is refused.
 */
export function useUploads(courseId: string) {
  const refresh = useRefresh();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const last = useRef<Promise<void>>(Promise.resolve());
  const serial = useRef(0);
  const abortControllers = useRef(new Map<number, AbortController>());

  useEffect(() => {
    const all = abortControllers.current;
    return () => {
      for (const one of all.values()) one.abort();
      // Waiting uploads are not sent any more.
      all.clear();
    };
  }, []);

  const updateUpload = useCallback((key: number, fields: Partial<Upload>) => {
    setUploads((before) => before.map((one) => (one.key === key ? { ...one, ...fields } : one)));
  }, []);

  const remove = useCallback((key: number) => {
    abortControllers.current.get(key)?.abort();
    abortControllers.current.delete(key);
    setUploads((before) => before.filter((one) => one.key !== key));
  }, []);

  async function send({ key, file }: Upload): Promise<void> {
    const signal = abortControllers.current.get(key)?.signal;
    if (!signal) return;
    try {
      const input = { path: { id: courseId }, body: { file } };
      await upload('addMaterial', input, { onProgress: (share) => updateUpload(key, { share }), signal });
      await refresh();
      remove(key);
    } catch (error) {
      if (!signal.aborted) updateUpload(key, { failure: error });
    }
  }

  function enqueue(one: Upload): void {
    last.current = last.current.then(() => send(one));
  }

  function add(files: readonly File[]): void {
    for (const file of files) {
      serial.current += 1;
      const one: Upload = { key: serial.current, file, share: 0 };
      abortControllers.current.set(one.key, new AbortController());
      setUploads((before) => [...before, one]);
      enqueue(one);
    }
  }

  /** Sends a file again that was not accepted. */
  function retry(one: Upload): void {
    updateUpload(one.key, { share: 0, failure: undefined });
    enqueue(one);
  }

  return { uploads, add, retry, remove, working: uploads.some(({ failure }) => failure === undefined) };
}
