/** The screens without a tenant. */
import { createLazyScreen } from './screens.tsx';

export const SignIn = createLazyScreen(() => import('../screens/signIn/Screen.tsx'));
export const Account = createLazyScreen(() => import('../screens/account/Screen.tsx'));
export const Welcome = createLazyScreen(() => import('../screens/welcome/Screen.tsx'));
export const NewTenant = createLazyScreen(() => import('../screens/newTenant/Screen.tsx'));
