import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { notifyDone } from '../ui/notify.js';

export type GroupDetails = ResponseBody<'showGroup'>['group'];

interface GroupFormDialogProps {
  opened: boolean;
  onClose(): void;
  /** Group to change; undefined for a new one. */
  group: GroupDetails | undefined;
  /** Called with the id of a new group. */
  onCreated?(id: string): void;
}

/** Creates a group, or changes its name and note. Only its buttons discard typed text. */
export function GroupFormDialog({ opened, onClose, group, ...props }: GroupFormDialogProps) {
  const { t } = useTranslation();
  const [dirty, setDirty] = useState(false);
  function close(): void {
    setDirty(false);
    onClose();
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      closeOnClickOutside={!dirty}
      closeOnEscape={!dirty}
      title={group ? group.name : t('groups.new')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <GroupForm {...props} group={group} isOpen={opened} onDirty={() => setDirty(true)} onClose={close} />
    </Modal>
  );
}

interface GroupFormProps extends Omit<GroupFormDialogProps, 'opened'> {
  isOpen: boolean;
  /** Called when the user types something. */
  onDirty(): void;
}

function GroupForm({ isOpen, onDirty, onClose, group, onCreated }: GroupFormProps) {
  const { t } = useTranslation();
  const create = useChange('createGroup');
  const update = useChange('updateGroup');
  const form = useApiForm({
    initialValues: { name: group?.name ?? '', note: group?.note ?? '' },
    async submit({ name, note }) {
      const body = { name, note: note.trim() === '' ? null : note };
      if (group) {
        await update.mutateAsync({ path: { id: group.id }, body });
        notifyDone(t('state.saved'));
        onClose();
        return;
      }
      const created = await create.mutateAsync({ body });
      onClose();
      onCreated?.(created.group.id);
    },
  });
  const labels = { name: t('groups.name'), note: t('groups.note') };
  useUnsavedGuard(
    isOpen && form.isDirty && !form.submitting,
    form.changed.map((name) => labels[name]),
  );
  return (
    <form onSubmit={form.onSubmit} onChange={onDirty} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <TextInput {...form.field('name')} label={labels.name} maxLength={100} required data-autofocus />
        <Textarea {...form.field('note')} label={labels.note} autosize minRows={2} maxRows={6} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={form.submitting}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={form.submitting}>
            {t(group ? 'action.save' : 'action.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
