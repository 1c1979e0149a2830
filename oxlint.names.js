/**
 * The one rule of this project's own: an object whose names are not known when it is written must be a Map. Looked up by
 * a name from outside, an object answers with what every object has, such as `constructor`.
 */

const namedIn = (type) => (type?.type === 'TSTypeReference' ? type.typeName.name : null)

/** `Record<string, …>` or `{ [name: string]: … }`, also inside `Readonly`. */
function takesAnyName(type) {
  if (namedIn(type) === 'Readonly') return takesAnyName(type.typeArguments?.params[0])
  if (namedIn(type) === 'Record') return type.typeArguments?.params[0]?.type === 'TSStringKeyword'
  return type?.type === 'TSTypeLiteral' && type.members.some((member) => member.type === 'TSIndexSignature')
}

const noObjectAsMap = {
  create(context) {
    const declared = new Map()
    const lookups = new Set()
    return {
      VariableDeclarator(node) {
        if (node.init?.type === 'ObjectExpression' && takesAnyName(node.id.typeAnnotation?.typeAnnotation))
          declared.set(node.id.name, node)
      },
      MemberExpression(node) {
        if (node.computed && node.object.type === 'Identifier' && node.property.type !== 'Literal')
          lookups.add(node.object.name)
      },
      BinaryExpression(node) {
        if (node.operator === 'in' && node.right.type === 'Identifier') lookups.add(node.right.name)
      },
      'Program:exit'() {
        for (const [name, node] of declared)
          if (lookups.has(name))
            context.report({
              node,
              message: `${name} is looked up by any name: use a Map.`,
            })
      },
    }
  },
}

export default { meta: { name: 'medialog' }, rules: { 'no-object-as-map': noObjectAsMap } }
