/**
 * Rewriting of the classes of programs: calls of members that a rank has of its own lead to static methods that replace them.
 *
 * <pre>{@code
 * ClassRewriter -> Redirections (Redirection of each member)
 * ClassRewriter -> ConstantPool, Instructions   the class file
 * }</pre>
 */
@NullMarked
package tutti.runtime.process.rewrite;

import org.jspecify.annotations.NullMarked;
