package tutti.runtime.process.rewrite;

import java.lang.classfile.constantpool.PoolEntry;
import java.lang.invoke.MethodHandleInfo;

/**
 * The redirection of a member of a class to the static method that replaces it.
 *
 * @param tag        tag of the constant that names the member: a field or a method
 * @param opcode     opcode of the instruction that uses the member
 * @param handleKind kind of a method handle that refers to the member
 * @param method     name of the method that replaces the member
 * @param descriptor descriptor of that method; it has the same effect on the stack as the instruction
 */
record Redirection(int tag, int opcode, int handleKind, String method, String descriptor) {
    static final int GETSTATIC = 0xb2;
    static final int INVOKEVIRTUAL = 0xb6;
    static final int INVOKESTATIC = 0xb8;

    /** Returns the redirection of a static method to one of the same descriptor. */
    static Redirection ofStatic(final String method, final String descriptor) {
        return new Redirection(PoolEntry.TAG_METHODREF, INVOKESTATIC, MethodHandleInfo.REF_invokeStatic, method, descriptor);
    }

    /** Returns the redirection of a virtual method to a static one with that descriptor, whose first parameter is the receiver. */
    static Redirection ofVirtual(final String method, final String descriptor) {
        return new Redirection(PoolEntry.TAG_METHODREF, INVOKEVIRTUAL, MethodHandleInfo.REF_invokeVirtual, method, descriptor);
    }

    /** Returns the redirection of reads of a static field to a method. */
    static Redirection ofField(final String method, final String descriptor) {
        return new Redirection(PoolEntry.TAG_FIELDREF, GETSTATIC, MethodHandleInfo.REF_getStatic, method, descriptor);
    }
}
