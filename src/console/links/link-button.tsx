import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { setToken } from './link-token.js';
import { useRateLimitText } from './rate-limit-text.js';

interface LinkButtonProps {
  /** Uses the link, which works only once. */
  onUse(): Promise<void>;
  /** Checks the link again, after the service has refused to use it. */
  recheck(): Promise<unknown>;
  label: string;
  /** Says what the link does. */
  children: ReactNode;
}

/** Button that uses a link. Opening the page doesn't use the link, because mail programs also open links. */
export function LinkButton({ onUse, recheck, label, children }: LinkButtonProps) {
  const withRateLimitText = useRateLimitText();
  const form = useApiForm({
    initialValues: {},
    async submit() {
      try {
        await onUse();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'LINK_INVALID') await recheck();
        throw withRateLimitText(error);
      }
      setToken('');
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        {children}
        <Button type="submit" loading={form.submitting}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
