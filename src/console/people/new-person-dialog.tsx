import { Alert, Button, Group, Modal, NativeSelect, Stack, Switch, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { inputFields } from '../api/account-fields.js';
import type { ResponseBody } from '../api/client.js';
import { useChange } from '../api/queries.js';
import { CopyField } from '../ui/copy-field.js';
import { AccountInputs } from '../ui/forms/account-inputs.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { PasswordField } from '../ui/forms/password-field.js';
import { useUnsavedGuard } from '../ui/forms/unsaved.js';
import { ButtonLink } from '../ui/links.js';
import { nameOf } from '../ui/person-name.js';
import { generatePassword } from './password.js';
import { useShownOnce } from './shown-once.js';

/** The fields that are typed. */
const texts = inputFields.register.filter(
  (name) => name !== 'role' && name !== 'isActive' && name !== 'requiresPasswordChange',
);
// Object.fromEntries forgets which keys it was given.
const empty = Object.fromEntries(texts.map((name) => [name, ''])) as Record<(typeof texts)[number], string>;
/** Where a dialog begins. */
const autoFocus = { 'data-autofocus': true } as TextInputProps;

type Created = ResponseBody<'register'>['user'] & { password: string };

interface NewPersonDialogProps {
  opened: boolean;
  onClose(): void;
}

/** Creates an account, then shows its password until the dialog is closed on purpose. */
export function NewPersonDialog({ opened, onClose }: NewPersonDialogProps) {
  const { t } = useTranslation();
  const register = useChange('register');
  const [created, setCreated] = useState<Created>();
  const [dirty, setDirty] = useState(false);
  useUnsavedGuard(opened && dirty && !register.isPending && !created);
  useShownOnce(opened && (register.isPending || created !== undefined));

  function close(): void {
    setCreated(undefined);
    setDirty(false);
    onClose();
  }

  const closesByItself = !dirty && !created;
  return (
    <Modal
      opened={opened}
      onClose={close}
      closeOnClickOutside={closesByItself}
      closeOnEscape={closesByItself}
      withCloseButton={!created}
      title={created ? t('people.created', { name: nameOf(created) }) : t('people.create')}
      // Closing would only hide whose password is coming.
      closeButtonProps={{ 'aria-label': t('action.close'), disabled: register.isPending }}
    >
      {created ? (
        <CreatedPerson person={created} onClose={close} />
      ) : (
        <NewPersonForm register={register} onCreated={setCreated} onDirty={() => setDirty(true)} onCancel={close} />
      )}
    </Modal>
  );
}

function CreatedPerson({ person, onClose }: { person: Created; onClose(): void }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Alert color="teal" variant="light" role="status">
        {t('people.shownOnce')}
      </Alert>
      <CopyField label={t('field.email')} value={person.email} />
      <CopyField label={t('field.password')} value={person.password} />
      <Group justify="flex-end">
        <ButtonLink to="/people/$id" params={{ id: person.id }} variant="default" ignoreBlocker onClick={onClose}>
          {t('people.openPerson')}
        </ButtonLink>
        <Button onClick={onClose}>{t('people.savedPassword')}</Button>
      </Group>
    </Stack>
  );
}

interface NewPersonFormProps {
  register: ReturnType<typeof useChange<'register'>>;
  onCreated(person: Created): void;
  onDirty(): void;
  onCancel(): void;
}

function NewPersonForm({ register, onCreated, onDirty, onCancel }: NewPersonFormProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(false);
  const form = useApiForm({
    initialValues: {
      ...empty,
      role: 'trainee' as 'trainee' | 'trainer',
      isActive: true,
      password: '',
    },
    async submit(values) {
      const password = typed ? values.password : generatePassword();
      const { user } = await register.mutateAsync({ body: { ...values, password, requiresPasswordChange: !typed } });
      onCreated({ ...user, password });
    },
  });
  return (
    <form onSubmit={form.onSubmit} onChange={onDirty} noValidate>
      <Stack>
        <FormFailure>{form.failure}</FormFailure>
        <AccountInputs names={texts} field={form.field} more={{ firstName: autoFocus }} />
        <NativeSelect
          {...form.field('role')}
          label={t('field.role')}
          data={(['trainee', 'trainer'] as const).map((role) => ({ value: role, label: t(`role.${role}`) }))}
        />
        <Switch {...form.field('isActive', 'checkbox')} label={t('people.maySignIn')} />
        <Switch
          checked={!typed}
          onChange={({ currentTarget }) => setTyped(!currentTarget.checked)}
          label={t('people.generate')}
          description={t('people.generateHint')}
        />
        {typed && (
          <PasswordField {...form.field('password')} label={t('field.password')} autoComplete="new-password" required />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel} disabled={form.submitting}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={form.submitting}>
            {t('action.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
