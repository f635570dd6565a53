import { useForm } from '@mantine/form';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/client.js';
import { problemText } from '../messages.js';

export interface ApiFormOptions<Values extends object> {
  initialValues: Values;
  /** Problems by field, before anything is sent; the service checks the rest. */
  validate?(values: Values): Record<string, ReactNode>;
  /**
   * Calls the service, and hands what is saved then to `merge` where the form stays. What it throws is shown: at the fields
   * when it names them, else as `failure`.
   */
  submit(values: Values): Promise<void>;
}

/** The fields whose dates are typed in part or don't exist: their inputs show them, but their values are empty. */
const unreadableFields = ({ elements }: HTMLFormElement): string[] =>
  [...elements].flatMap((input) =>
    input instanceof HTMLInputElement && input.validity.badInput ? (input.dataset.path ?? []) : [],
  );

/** The one form: values, the service's answer at the fields that it concerns, one submission at a time. */
export function useApiForm<Values extends object>({ initialValues, validate, submit }: ApiFormOptions<Values>) {
  const { t } = useTranslation();
  const form = useForm<Values>({ initialValues, ...(validate && { validate }) });
  const [submitting, setSubmitting] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  /** The form whose first refused field is to get the focus, once it is marked. */
  const refusedForm = useRef<HTMLFormElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks at the page after each change of the problems
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
    // A dialog may be drawn inside another form's page.
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

  /** Begins again with other values, which are then the saved ones. */
  function restart(values: Values): void {
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
    form.clearErrors();
    setFailure(undefined);
  }

  /**
   * Takes over what the service has now, except in fields that the user has changed: these stay, and are not saved.
   * @param since the values that the user's are compared with; those that were saved last, when they aren't given
   */
  function merge(now: Values, since: Values = form.getInitialValues()): void {
    form.resetDirty(since);
    const changed = Object.entries(form.getValues()).filter(([name]) => form.isDirty(name));
    form.setInitialValues(now);
    form.setValues({ ...now, ...Object.fromEntries(changed) });
  }

  return {
    values: form.values,
    /** What the service had, as far as the form was told. */
    initialValues: form.getInitialValues,
    restart,
    merge,
    setValues: form.setValues,
    setFieldValue: form.setFieldValue,
    reset: form.reset,
    isDirty: form.isDirty(),
    onSubmit: (event: FormEvent<HTMLFormElement>) => void onSubmit(event),
    submitting,
    /** What the service refused, where it isn't about a field of the form. */
    failure,
    /** The properties of a field's input. @param type `checkbox` for inputs that are on or off */
    field: (name: keyof Values & string, type: 'input' | 'checkbox' = 'input') => ({
      ...form.getInputProps(name, { type }),
      // Not every input of Mantine says so by itself.
      'aria-invalid': name in form.errors || undefined,
    }),
  };
}
