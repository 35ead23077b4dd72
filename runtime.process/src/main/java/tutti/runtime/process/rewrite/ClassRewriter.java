package tutti.runtime.process.rewrite;

import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.invoke.MethodHandleInfo;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites a class so that its uses of certain members lead to static methods that replace them; {@link Redirections} has the lists.
 *
 * <p>Instructions and method references are rewritten. Calls by reflection or by a method handle that is looked up at run time are not, and reach
 * the member itself.
 *
 * <p>The file is patched in place. Each redirected instruction and its replacement, a call of a static method, have the same length and the
 * same effect on the stack. The constant that names the member is changed to name the method that replaces it. Where the kind of access
 * changes, the opcodes and method handles that use the constant are changed as well. Only the constant pool grows, at its end; all other
 * bytes stay the same, stack maps included.
 *
 * <p>Generating the class again with {@code java.lang.classfile} would compute stack maps. For that it must find the superclasses of types
 * that may be missing from the program's class path.
 *
 * <p>A class that mentions no such member is returned as the same array, after its constants were examined. A file that is no valid class
 * file is returned unchanged as well, and the JVM reports the error when the class is defined.
 */
public final class ClassRewriter {
    private static final int NEW = 0xbb;

    private final byte[] file;
    private final Redirections redirections;
    private final ConstantPool pool;
    /** By index of a constant: the redirection that was applied to it, or null. */
    private final @Nullable Redirection[] redirected;
    /** By index of a class that objects are created of: the index of the subclass that replaces it; 0 where none does. */
    private final int[] subclasses;

    private ClassRewriter(final byte[] file, final Redirections redirections) {
        this.file = file;
        this.redirections = redirections;
        this.pool = new ConstantPool(file);
        this.redirected = new Redirection[pool.original()];
        this.subclasses = new int[pool.original()];
    }

    /** Returns the rewritten class; {@code bytes} is not modified. */
    public static byte[] rewrite(final byte[] bytes, final Redirections redirections) {
        try {
            if (bytes.length < 10 || ConstantPool.u4(bytes, 0) != ClassFile.MAGIC_NUMBER) {
                return bytes;
            }
            final ClassRewriter rewriter = new ClassRewriter(bytes.clone(), redirections);
            final boolean isConstructing = rewriter.redirectConstructors();
            return rewriter.redirectConstants() || isConstructing ? rewriter.finish() : bytes;
        } catch (final IndexOutOfBoundsException | IllegalArgumentException e) {
            return bytes;
        }
    }

    private byte[] finish() {
        redirectHandles();
        redirectCode();
        return pool.extended();
    }

    private boolean redirectConstants() {
        int bridge = 0;
        for (int i = 1; i < pool.original(); i++) {
            final Redirection redirection = redirection(i);
            if (redirection != null) {
                bridge = bridge != 0 ? bridge : pool.addClass(redirections.target());
                redirected[i] = redirection;
                file[pool.offset(i)] = PoolEntry.TAG_METHODREF;
                ConstantPool.putU2(file, pool.offset(i) + 1, bridge);
                ConstantPool.putU2(file, pool.offset(i) + 3, pool.addNameAndType(redirection.method(), redirection.descriptor()));
            }
        }
        return bridge != 0;
    }

    /** Redirects constructors to those of a subclass, except in classes that extend the class themselves. */
    private boolean redirectConstructors() {
        boolean isFound = false;
        for (int i = 1; i < pool.original(); i++) {
            final String subclass = pool.tag(i) == PoolEntry.TAG_CLASS ? redirections.subclass(pool.text(pool.index(i, 0))) : null;
            if (subclass != null && i != ConstantPool.u2(file, pool.end() + 4)) {
                redirectConstructors(i, subclass);
                isFound |= subclasses[i] != 0;
            }
        }
        return isFound;
    }

    private void redirectConstructors(final int owner, final String subclass) {
        for (int i = 1; i < pool.original(); i++) {
            if (pool.tag(i) == PoolEntry.TAG_METHODREF && pool.index(i, 0) == owner && "<init>".equals(pool.text(pool.index(pool.index(i, 2), 0)))) {
                subclasses[owner] = subclasses[owner] == 0 ? pool.addClass(subclass) : subclasses[owner];
                ConstantPool.putU2(file, pool.offset(i) + 1, subclasses[owner]);
            }
        }
    }

    private @Nullable Redirection redirection(final int constant) {
        final int tag = pool.tag(constant);
        if (tag != PoolEntry.TAG_FIELDREF && tag != PoolEntry.TAG_METHODREF) {
            return null;
        }
        if (pool.index(constant, 0) >= pool.original()) {
            // a constructor, redirected before
            return null;
        }
        final String owner = pool.text(pool.index(pool.index(constant, 0), 0));
        if (!redirections.concerns(owner)) {
            return null;
        }
        final int nameAndType = pool.index(constant, 2);
        final Redirection found = redirections.of(owner, pool.text(pool.index(nameAndType, 0)), pool.text(pool.index(nameAndType, 2)));
        return found != null && found.tag() == tag ? found : null;
    }

    private void redirectHandles() {
        for (int i = 1; i < pool.original(); i++) {
            if (pool.tag(i) == PoolEntry.TAG_METHOD_HANDLE) {
                final int kind = pool.offset(i) + 1;
                final Redirection target = redirected[ConstantPool.u2(file, kind + 1)];
                if (target != null && file[kind] == target.handleKind()) {
                    file[kind] = MethodHandleInfo.REF_invokeStatic;
                }
            }
        }
    }

    private void redirectCode() {
        int at = pool.end() + 6;
        at += 2 + 2 * ConstantPool.u2(file, at);
        at = skipMembers(at, false);
        skipMembers(at, true);
    }

    private int skipMembers(final int start, final boolean methods) {
        int at = start + 2;
        for (int member = ConstantPool.u2(file, start); member > 0; member--) {
            int attributes = ConstantPool.u2(file, at + 6);
            at += 8;
            for (; attributes > 0; attributes--) {
                if (methods && "Code".equals(pool.text(ConstantPool.u2(file, at)))) {
                    final int code = at + 14;
                    redirectInstructions(code, code + ConstantPool.u4(file, at + 10));
                }
                at += 6 + ConstantPool.u4(file, at + 2);
            }
        }
        return at;
    }

    private void redirectInstructions(final int start, final int end) {
        for (int at = start; at < end; at += Instructions.length(file, at, start)) {
            final int opcode = file[at] & 0xff;
            if (opcode == NEW && subclasses[ConstantPool.u2(file, at + 1)] != 0) {
                ConstantPool.putU2(file, at + 1, subclasses[ConstantPool.u2(file, at + 1)]);
            } else if (opcode == Redirection.GETSTATIC || opcode == Redirection.INVOKEVIRTUAL) {
                final Redirection target = redirected[ConstantPool.u2(file, at + 1)];
                if (target != null && target.opcode() == opcode) {
                    file[at] = (byte) Redirection.INVOKESTATIC;
                }
            }
        }
    }
}
