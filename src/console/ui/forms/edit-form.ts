import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyDone } from '../notify.js';
import { type ApiFormOptions, useApiForm } from './form.js';
import { useUnsavedGuard } from './unsaved.js';

interface EditFormOptions<Source, Values extends object, Changes extends { [Name in keyof Values]?: unknown }>
  extends Pick<ApiFormOptions<Values>, 'validate'> {
  /** What the service had when it was last read. */
  source: Source;
  valuesOf(source: Source): Values;
  /** What the service is told of the fields that differ. */
  changesOf(before: Values, after: Values): Changes;
  labelOf(name: keyof Values & string): string;
  /** Asks for what the service has now. @throws ApiError */
  read(): Promise<Source>;
  /** @returns what the service has then @throws ApiError */
  save(changes: Changes): Promise<Source>;
}

/**
 * A form for what somebody else may change at the same time. It sends only fields that were changed, follows the service in the
 * others, and asks before it overwrites a field that somebody else has changed, too.
 */
export function useEditForm<Source, Values extends object, Changes extends { [Name in keyof Values]?: unknown }>({
  source,
  valuesOf,
  changesOf,
  labelOf,
  validate,
  read,
  save,
}: EditFormOptions<Source, Values, Changes>) {
  const { t } = useTranslation();
  /** What the service had when it was last asked. */
  const latest = useRef(valuesOf(source));
  // Changes have no other keys.
  const namesOf = (changes: Changes) => Object.keys(changes) as (keyof Values & string)[];

  async function assertNotChangedMeanwhile(values: Values, changes: Changes): Promise<void> {
    latest.current = valuesOf(await read());
    // What was saved without a response is no change of somebody else.
    const differing = changesOf(latest.current, values);
    const theirs = namesOf(changesOf(form.initialValues(), latest.current)).filter(
      (name) => name in changes && name in differing,
    );
    if (theirs.length === 0) return;
    form.merge(latest.current);
    throw new Error(t('state.conflict', { fields: theirs.map(labelOf).join(', ') }));
  }

  const form = useApiForm<Values>({
    initialValues: latest.current,
    ...(validate && { validate }),
    async submit(values) {
      const changes = changesOf(form.initialValues(), values);
      await assertNotChangedMeanwhile(values, changes);
      latest.current = valuesOf(await save(changes));
      form.merge(latest.current, values);
      notifyDone(t('state.saved'));
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting);

  // biome-ignore lint/correctness/useExhaustiveDependencies: looks at each answer once
  useEffect(() => {
    if (form.submitting) return;
    latest.current = valuesOf(source);
    // Changed fields keep what they were changed from: whether somebody else has changed them is asked when they are saved.
    const changed = changesOf(form.initialValues(), form.values);
    const kept = Object.entries(form.initialValues()).filter(([name]) => name in changed);
    form.merge({ ...latest.current, ...Object.fromEntries(kept) });
  }, [source]);

  return { ...form, discard: () => form.restart(latest.current) };
}
