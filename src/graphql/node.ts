import 'reflect-metadata';
import { Field, ID, InterfaceType } from 'type-graphql';
import { typeOfId } from '../ids.ts';

@InterfaceType({
  description: 'An object that its id alone finds again (Relay Global Object Identification).',
  resolveType: (value: { id: string }) => typeOfId(value.id),
})
export abstract class Node {
  @Field(() => ID, { description: 'Unique among all objects of all types.' })
  id!: string;
}
