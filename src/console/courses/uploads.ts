import { useCallback, useEffect, useRef, useState } from 'react';
import { upload } from '../api/client.js';
import { useRefresh } from '../api/queries.js';

/** File that is waiting, being sent, or refused. */
export interface Upload {
  key: number;
  file: File;
  /** Sent share of the file, from 0 to 1. */
  share: number;
  /** Error, if the file was refused. */
  failure?: unknown;
}

/**
 * Sends files to a course, one after the other. Files that have arrived leave `uploads`. Leaving the page stops the uploads,
 * because nobody would see refusals.
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
      // Without a controller, `send` skips waiting uploads.
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

  function retry(one: Upload): void {
    updateUpload(one.key, { share: 0, failure: undefined });
    enqueue(one);
  }

  return { uploads, add, retry, remove, working: uploads.some(({ failure }) => failure === undefined) };
}
