import { useForm } from '@mantine/form';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/client.js';
import { problemText } from '../messages.js';

export interface ApiFormOptions<Values extends object> {
  initialValues: Values;
  /** Returns errors by field, before anything is sent; the service checks the rest. */
  validate?(values: Values): Record<string, ReactNode>;
  /**
   * Calls the service. If the form stays open, it passes the saved data to `merge`. Errors about fields of the form are shown
   * at these fields, other errors as `failure`.
   */
  submit(values: Values): Promise<void>;
}

/** Names of fields with incomplete or impossible dates: the input shows the typed date, but its value is empty. */
const unreadableFields = ({ elements }: HTMLFormElement): string[] =>
  [...elements].flatMap((input) =>
    input instanceof HTMLInputElement && input.validity.badInput ? (input.dataset.path ?? []) : [],
  );

/** State of a form: values, errors at their fields, one submission at a time. All forms use this hook. */
export function useApiForm<Values extends object>({ initialValues, validate, submit }: ApiFormOptions<Values>) {
  const { t } = useTranslation();
  const form = useForm<Values>({ initialValues, ...(validate && { validate }) });
  const [submitting, setSubmitting] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  /** Refused form, until its first invalid field has the focus. */
  const refusedForm = useRef<HTMLFormElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each change of the errors
  useEffect(() => {
    refusedForm.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    refusedForm.current = null;
  }, [form.errors, failure]);

  function showError(error: unknown): void {
    const entered = new Set(Object.keys(form.getValues()));
    const known = error instanceof ApiError ? error.problems.filter(({ path }) => entered.has(path)) : [];
    form.setErrors(Object.fromEntries(known.map((problem) => [problem.path, problemText(problem, t)])));
    const hasOtherProblems = !(error instanceof ApiError) || known.length < Math.max(error.problems.length, 1);
    setFailure(hasOtherProblems ? error : undefined);
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    // React events bubble from a dialog to a form that contains it.
    event.stopPropagation();
    const element = event.currentTarget;
    if (submitting) return;
    setFailure(undefined);
    const unreadable = unreadableFields(element);
    const { errors, hasErrors } = form.validate();
    if (hasErrors || unreadable.length > 0) {
      form.setErrors({ ...errors, ...Object.fromEntries(unreadable.map((name) => [name, t('state.noDate')])) });
      refusedForm.current = element;
      return;
    }
    setSubmitting(true);
    try {
      await submit(form.getValues());
    } catch (error) {
      refusedForm.current = element;
      showError(error);
    } finally {
      setSubmitting(false);
    }
  }

  /** Resets the form to other values, which count as saved. */
  function restart(values: Values): void {
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
    form.clearErrors();
    setFailure(undefined);
  }

  /**
   * Takes over current values of the service. Fields changed by the user stay, and count as unsaved.
   * @param since values that the user's values are compared with; by default the last saved ones
   * @returns whether there are such fields
   */
  function merge(now: Values, since: Values = form.getInitialValues()): boolean {
    form.resetDirty(since);
    const changed = Object.entries(form.getValues()).filter(([name]) => form.isDirty(name));
    form.setInitialValues(now);
    form.setValues({ ...now, ...Object.fromEntries(changed) });
    return changed.length > 0;
  }

  return {
    values: form.values,
    /** Values of the service, as last merged into the form. */
    initialValues: form.getInitialValues,
    restart,
    merge,
    setValues: form.setValues,
    setFieldValue: form.setFieldValue,
    reset: form.reset,
    isDirty: form.isDirty(),
    /** Names of the fields with unsaved input. */
    changed: Object.keys(form.values).filter((name): name is keyof Values & string => form.isDirty(name)),
    onSubmit: (event: FormEvent<HTMLFormElement>) => void onSubmit(event),
    submitting,
    /** Error that isn't about a field of the form. */
    failure,
    /** Properties of a field's input. @param type `checkbox` for checkboxes and switches */
    field: (name: keyof Values & string, type: 'input' | 'checkbox' = 'input') => ({
      ...form.getInputProps(name, { type }),
      // Some inputs of Mantine don't set this attribute.
      'aria-invalid': name in form.errors || undefined,
    }),
  };
}
