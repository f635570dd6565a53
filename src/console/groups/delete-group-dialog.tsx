import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { memberCount } from '../ui/member-count.js';
import { notifyDone } from '../ui/notify.js';

interface DeleteGroupDialogProps {
  group: ResponseBody<'listGroups'>['groups'][number];
  opened: boolean;
  onClose(): void;
  onDeleted?(): void;
}

export function DeleteGroupDialog({ group, opened, onClose, onDeleted }: DeleteGroupDialogProps) {
  const { t } = useTranslation();
  const { id, name, activeMembers: count } = group;
  // Without `showGroup`, which would fail for the deleted group.
  const change = useChange('deleteGroup', ['listGroups', 'listUsers', 'showUser', 'listEnrollments', 'listAudit']);

  async function remove(): Promise<void> {
    await change.mutateAsync({ path: { id } });
    notifyDone(t('groups.deleted', { name }));
    onDeleted?.();
  }
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('groups.deleteAsk', { name })}
      action={t('groups.delete')}
      destructive
      onConfirm={remove}
    >
      {t('groups.deleteHint', { count, members: memberCount(group) })}
    </ConfirmDialog>
  );
}
