import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';

interface RemoveFromGroupDialogProps {
  group: { id: string; name: string };
  /** People by id. */
  selected: ReadonlyMap<string, unknown>;
  /** @param changed whether people were removed */
  onClose(changed: boolean): void;
}

export function RemoveFromGroupDialog({ group, selected, onClose }: RemoveFromGroupDialogProps) {
  const { t } = useTranslation();
  const change = useChange('changeMembers');
  /** Whether people were removed. A ref, because the dialog closes before the next render. */
  const changed = useRef(false);
  const count = selected.size;

  async function remove(): Promise<void> {
    const body = { remove: [...selected.keys()] };
    await change.mutateAsync({ path: { id: group.id }, body });
    changed.current = true;
  }

  return (
    <ConfirmDialog
      opened
      onClose={() => onClose(changed.current)}
      title={t('people.groups.remove', { group: group.name })}
      action={t('people.bulk.action.remove_from_group')}
      onConfirm={remove}
    >
      {t('people.groups.removeHint', { count, group: group.name })}
    </ConfirmDialog>
  );
}
