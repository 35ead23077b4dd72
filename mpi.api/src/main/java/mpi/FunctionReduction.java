package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.UserReduction;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Calls a program's reduction function in the form that it overrides. Safe for use by several threads if the function is. */
final class FunctionReduction implements UserReduction {
    private final UserFunction function;
    private final boolean takesBuffers;
    private final boolean takesArrays;
    /**
     * The datatypes of the program's calls, by element kind; of derived datatypes the last one. Functions get these very objects, so that
     * programs can compare them.
     */
    private final @Nullable Datatype[] datatypes = new Datatype[ElementKind.values().length];

    FunctionReduction(final UserFunction function) {
        this.function = function;
        this.takesBuffers = overrides(function, ByteBuffer.class);
        this.takesArrays = overrides(function, Object.class);
    }

    private static boolean overrides(final UserFunction function, final Class<?> buffer) {
        try {
            return function.getClass().getMethod("call", buffer, buffer, int.class, Datatype.class).getDeclaringClass() != UserFunction.class;
        } catch (final NoSuchMethodException e) {
            throw new AssertionError("UserFunction declares it", e);
        }
    }

    /** Announces a call with a datatype. */
    void announce(final Datatype type) {
        if (type != null) {
            datatypes[Datatype.layoutOf(type).elementKind().ordinal()] = type;
        }
    }

    private Datatype typeOf(final tutti.runtime.datatype.Datatype handle) {
        final Datatype type = datatypes[handle.elementKind().ordinal()];
        return type != null && Datatype.layoutOf(type) == handle ? type : Datatype.ready(handle);
    }

    @Override
    public void apply(final MemorySegment in, final MemorySegment inout, final long count, final tutti.runtime.datatype.Datatype type) {
        try {
            if (takesBuffers && !(takesArrays && type.baseType() == tutti.runtime.datatype.Datatype.BOOLEAN)) {
                function.call(buffer(in), buffer(inout), (int) count, typeOf(type));
            } else {
                checkEntries(in, type);
                final Object a = BaseArrays.of(in, type);
                final Object b = BaseArrays.of(inout, type);
                function.call(a, b, (int) count, typeOf(type));
                BaseArrays.copy(b, inout);
            }
        } catch (final MPIException e) {
            throw e.toFailure();
        } catch (final RuntimeException e) {
            // Cause: the reduction of the program threw an exception. Remedy: correct it; it is the cause of the exception.
            throw new MpiFailure(ErrorClass.OTHER, "user function failed: class=" + function.getClass().getName() + ", error=" + e, e);
        }
    }

    private void checkEntries(final MemorySegment in, final tutti.runtime.datatype.Datatype type) {
        if (in.byteSize() % type.baseSize() != 0) {
            // Cause: the reduction of the program takes arrays, which cannot have elements of this datatype.
            throw new MpiFailure(ErrorClass.TYPE, "element size is not a multiple of the array's entries: type=" + type.name() + ", class="
                + function.getClass().getName() + ", override call(ByteBuffer, ByteBuffer, int, Datatype)");
        }
    }

    private static ByteBuffer buffer(final MemorySegment memory) {
        return memory.asByteBuffer().order(ByteOrder.nativeOrder());
    }
}
