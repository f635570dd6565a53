import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFailure } from './form-failure.js';
import { useUnsavedGuard } from './unsaved.js';

export interface ConfirmDialogProps {
  opened: boolean;
  onClose(): void;
  title: string;
  /** Effects of the action, in full sentences. */
  children: ReactNode;
  /** Label of the action button; undefined if the dialog can only be closed. */
  action: string | undefined;
  /** Label of the button that does nothing, if "Cancel" could be mistaken for the action. */
  dismiss?: string | undefined;
  destructive?: boolean;
  /** Label of a field with typed text, which only the buttons discard without a question. */
  unsaved?: string | undefined;
  disabled?: boolean;
  /** Performs the action. If it throws, the dialog stays open and shows the error. */
  onConfirm(): Promise<unknown>;
  /** Button to stop a long action while it runs. */
  stop?: { action: string; onStop(): void } | undefined;
}

/** Asks for confirmation, performs the action once, and shows why it failed. All confirmations use this dialog. */
export function ConfirmDialog({
  opened,
  onClose,
  title,
  children,
  action,
  dismiss,
  destructive = false,
  unsaved,
  disabled = false,
  onConfirm,
  stop,
}: ConfirmDialogProps) {
  const { t } = useTranslation();
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  useUnsavedGuard(opened && unsaved !== undefined, [unsaved ?? '']);
  useEffect(() => {
    if (opened) setFailure(undefined);
  }, [opened]);

  const dismissal = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Replaces the focused button, which has disappeared.
    if (action === undefined && !working) dismissal.current?.focus();
  }, [action, working]);

  async function confirm(): Promise<void> {
    setWorking(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setWorking(false);
    }
  }

  return (
    <Modal
      opened={opened}
      onClose={working ? () => undefined : onClose}
      closeOnClickOutside={unsaved === undefined}
      closeOnEscape={unsaved === undefined}
      title={title}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Stack>
        <FormFailure>{failure}</FormFailure>
        <div>{children}</div>
        <Group justify="flex-end">
          {working && stop ? (
            <Button variant="default" onClick={stop.onStop}>
              {stop.action}
            </Button>
          ) : (
            <Button variant="default" onClick={onClose} disabled={working} data-autofocus ref={dismissal}>
              {dismiss ?? t('action.cancel')}
            </Button>
          )}
          {action !== undefined && (
            <Button
              color={destructive ? 'red.9' : 'teal'}
              loading={working}
              disabled={disabled}
              onClick={() => void confirm()}
            >
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
