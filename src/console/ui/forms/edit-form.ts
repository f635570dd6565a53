import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyDone } from '../notify.js';
import { type ApiFormOptions, useApiForm } from './form.js';
import { useUnsavedGuard } from './unsaved.js';

interface EditFormOptions<Source, Values extends object, Changes extends { [Name in keyof Values]?: unknown }>
  extends Pick<ApiFormOptions<Values>, 'validate'> {
  /** Last data that was read from the service. */
  source: Source;
  valuesOf(source: Source): Values;
  /** Returns the changed fields, as sent to the service. */
  changesOf(before: Values, after: Values): Changes;
  labelOf(name: keyof Values & string): string;
  /** Fetches the current data. @throws ApiError */
  read(): Promise<Source>;
  /** @returns the saved data @throws ApiError */
  save(changes: Changes): Promise<Source>;
  /** Called after changes are saved, unless others were typed meanwhile. */
  onSaved?(): void;
}

/**
 * Form for data that others may change at the same time. It sends only changed fields, and keeps the others up to date. If
 * somebody else has changed the same field, the first save shows a conflict, and the next save overwrites.
 */
export function useEditForm<Source, Values extends object, Changes extends { [Name in keyof Values]?: unknown }>({
  source,
  valuesOf,
  changesOf,
  labelOf,
  validate,
  read,
  save,
  onSaved,
}: EditFormOptions<Source, Values, Changes>) {
  const { t } = useTranslation();
  /** Latest data of the service, as values of the form. */
  const latest = useRef(valuesOf(source));
  // The cast is safe, because `Changes` has no other keys.
  const namesOf = (changes: Changes) => Object.keys(changes) as (keyof Values & string)[];

  async function assertNotChangedMeanwhile(values: Values, changes: Changes): Promise<void> {
    latest.current = valuesOf(await read());
    // Ignores equal values: an earlier save of this user may have succeeded, and its response may be lost.
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
      const hasOthers = form.merge(latest.current, values);
      notifyDone(t('state.saved'));
      if (!hasOthers) onSaved?.();
    },
  });
  useUnsavedGuard(form.isDirty && !form.submitting, form.changed.map(labelOf));

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each response
  useEffect(() => {
    if (form.submitting) return;
    latest.current = valuesOf(source);
    // Changed fields keep their initial value, so that the next save can detect changes by others.
    const changed = changesOf(form.initialValues(), form.values);
    const kept = Object.entries(form.initialValues()).filter(([name]) => name in changed);
    form.merge({ ...latest.current, ...Object.fromEntries(kept) });
  }, [source]);

  return { ...form, discard: () => form.restart(latest.current) };
}
