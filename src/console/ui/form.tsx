import { Alert } from '@mantine/core';
import { type FormErrors, useForm } from '@mantine/form';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client.js';
import { messageOf } from './messages.js';

interface ApiFormOptions<Values extends object> {
  initialValues: Values;
  /** Problems by field, before anything is sent; the service checks the rest. */
  validate?(values: Values): FormErrors;
  /** Calls the service. What it throws is shown: at the fields when it names them, else as `failure`. */
  submit(values: Values): Promise<void>;
}

/** Puts the focus on the first field with a problem, once it is marked. */
function focusFirstProblem(form: HTMLFormElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** The one form: values, the service's answer at the fields that it concerns, one submission at a time. */
export function useApiForm<Values extends object>({ initialValues, validate, submit }: ApiFormOptions<Values>) {
  const form = useForm<Values>({ initialValues, ...(validate && { validate }) });
  const [submitting, setSubmitting] = useState(false);
  const [failure, setFailure] = useState<unknown>();

  function refuse(error: unknown): void {
    const known = error instanceof ApiError ? error.problems.filter(({ path }) => path in form.getValues()) : [];
    form.setErrors(Object.fromEntries(known.map(({ path, msg }) => [path, msg])));
    const elsewhere = !(error instanceof ApiError) || known.length < Math.max(error.problems.length, 1);
    setFailure(elsewhere ? error : undefined);
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    // A dialog may be drawn inside another form's page.
    event.stopPropagation();
    const element = event.currentTarget;
    if (submitting) return;
    setFailure(undefined);
    if (form.validate().hasErrors) {
      focusFirstProblem(element);
      return;
    }
    setSubmitting(true);
    try {
      await submit(form.getValues());
      form.resetDirty();
    } catch (error) {
      refuse(error);
      focusFirstProblem(element);
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

  return {
    values: form.values,
    restart,
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

/** The button may be far below. */
const showFailure = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'nearest' });

/** Says above a form's fields what was refused; nothing when nothing was. @param children the form's `failure` */
export function FormFailure({ children }: { children: unknown }) {
  const { t } = useTranslation();
  if (children === undefined) return null;
  return (
    <Alert color="red" variant="light" role="alert" className="form-failure" ref={showFailure}>
      {messageOf(children, t)}
    </Alert>
  );
}
