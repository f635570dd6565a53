import { Button, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { inputFields } from '../api/account-fields.js';
import { call } from '../api/client.js';
import { useSession } from '../session/session.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { AccountInputs, ownAutoComplete } from '../ui/forms/account-inputs.js';
import { useApiForm } from '../ui/forms/form.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { NewPasswordField } from '../ui/forms/password-field.js';
import { programmeName } from '../ui/programme.js';

/** Fields of the form, without `isActive`: the super admin is always active. */
const names = inputFields.setup.filter((name) => name !== 'isActive');
// `Object.fromEntries` loses the types of the keys.
const empty = Object.fromEntries(names.map((name) => [name, ''])) as Record<(typeof names)[number], string>;

/** Creates the super admin of a new installation, and signs in. */
export function SetupPage() {
  const { t } = useTranslation();
  const { signIn } = useSession();
  const form = useApiForm({
    initialValues: { ...empty, password: '' },
    async submit(values) {
      await call('setup', { body: values });
      await signIn({ identifier: values.email, password: values.password });
    },
  });
  return (
    <SignInLayout title={t('setup.title', { name: programmeName })} hint={t('setup.hint')}>
      <form onSubmit={form.onSubmit} noValidate>
        <Stack>
          <FormFailure>{form.failure}</FormFailure>
          <AccountInputs
            names={names}
            field={form.field}
            autoComplete={ownAutoComplete}
            more={{ firstName: { autoFocus: true } }}
          />
          <NewPasswordField {...form.field('password')} label={t('field.password')} />
          <Button type="submit" loading={form.submitting}>
            {t('setup.submit')}
          </Button>
        </Stack>
      </form>
    </SignInLayout>
  );
}
