import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { notifyDone } from '../ui/notify.js';
import { nameOf } from '../ui/person-name.js';
import type { EnrollmentRow } from './enrollment-changes.js';
import { EnrollmentNotes } from './enrollment-notes.js';

interface ReplyDialogProps {
  /** Enrollment to reply to; the dialog is open while there is one. */
  row: EnrollmentRow | undefined;
  onClose(): void;
}

/** Writes or changes the reply to a trainee, without changing the status. */
export function ReplyDialog({ row, onClose }: ReplyDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={row !== undefined}
      onClose={onClose}
      // Only the buttons discard typed text.
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={row && t('enrollments.messages.replyTo', { count: 1, name: nameOf(row.user) })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {row && <ReplyForm row={row} onClose={onClose} />}
    </Modal>
  );
}

function ReplyForm({ row, onClose }: { row: EnrollmentRow; onClose(): void }) {
  const { t } = useTranslation();
  const change = useChange('setReply');
  const form = useApiForm({
    initialValues: { reply: row.reply ?? '' },
    async submit({ reply }) {
      await change.mutateAsync({ path: { id: row.id }, body: { reply: reply.trim() === '' ? null : reply } });
      notifyDone(t('state.saved'));
      onClose();
    },
  });
  useUnsavedGuard(form.isDirty && !change.isSuccess, [t('courses.field.reply')]);
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <div>
          <EnrollmentNotes row={{ ...row, reply: null }} />
        </div>
        <Textarea
          {...form.field('reply')}
          label={t('courses.field.reply')}
          autosize
          minRows={2}
          maxRows={8}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={form.submitting}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={form.submitting}>
            {t('action.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
