import { Button, Group, Modal, NumberInput, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useChange } from '../api/queries.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { notifyDone } from '../ui/notify.js';

interface ProgressDialogProps {
  /** The dialog is open while there is an enrollment. `name` is for its title. */
  enrollment: { id: string; progress: number; name: string } | undefined;
  onClose(): void;
}

export function ProgressDialog({ enrollment, onClose }: ProgressDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={enrollment !== undefined}
      onClose={onClose}
      title={t('courses.progress.title', { name: enrollment?.name ?? '' })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {enrollment && <ProgressForm {...enrollment} onClose={onClose} />}
    </Modal>
  );
}

const isPercentage = (value: number | string): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100;

function ProgressForm({ id, progress, onClose }: { id: string; progress: number; onClose(): void }) {
  const { t } = useTranslation();
  const change = useChange('setProgress');
  const form = useApiForm<{ progress: number | string }>({
    initialValues: { progress },
    validate: (values) => (isPercentage(values.progress) ? {} : { progress: t('courses.progress.invalid') }),
    async submit(values) {
      await change.mutateAsync({ path: { id }, body: { progress: Number(values.progress) } });
      notifyDone(t('state.saved'));
      onClose();
    },
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <NumberInput
          {...form.field('progress')}
          label={t('courses.progress.label')}
          min={0}
          max={100}
          step={5}
          clampBehavior="none"
          required
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
