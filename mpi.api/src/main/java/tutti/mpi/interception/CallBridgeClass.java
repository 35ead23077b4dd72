package tutti.mpi.interception;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mpi.CartComm;
import mpi.Comm;
import mpi.Datatype;
import mpi.Errhandler;
import mpi.File;
import mpi.FileView;
import mpi.GraphComm;
import mpi.Grequest;
import mpi.Group;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.Message;
import mpi.Op;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;
import mpi.Win;
import tutti.runtime.process.owner.CallBridge;

/**
 * The class through which the calls of an intercepted job go: a static method for each public method of package {@code mpi}, which makes the call
 * between {@link Interception#begin} and {@link Interception#end}. Generated once, when the first job on the node is intercepted. Safe for any
 * thread.
 */
final class CallBridgeClass {
    /** The methods that can be intercepted; the index is what {@link Interception#begin} receives. */
    static final List<InterceptableCall> CALLS;
    /** The class and the calls that lead to it. */
    static final CallBridge BRIDGE;

    private static final String NAME = "mpi.InterceptedCalls";
    private static final ClassDesc SELF = ClassDesc.of(NAME);
    private static final ClassDesc INTERCEPTION = desc(Interception.class);
    private static final ClassDesc CALL = desc(CallRecord.class);
    private static final String FIELD = "INTERCEPTION";
    /** Classes whose objects programs get, but for those of which programs make subclasses. */
    private static final List<Class<?>> OWNERS = List.of(mpi(), Comm.class, Intracomm.class, Intercomm.class, CartComm.class, GraphComm.class,
        Request.class, Prequest.class, Grequest.class, Message.class, Status.class, Group.class, Datatype.class, Op.class, Info.class,
        Errhandler.class, Win.class, File.class, FileView.class);

    static {
        final Map<Method, String> names = new LinkedHashMap<>();
        final List<CallBridge.BridgedCall> bridged = new ArrayList<>();
        final Set<String> used = new HashSet<>();
        for (final Class<?> owner : OWNERS) {
            for (final Method method : methods(owner)) {
                final String stands = type(method).descriptorString();
                final String name = names.computeIfAbsent(method, m -> unused(m.getName(), stands, used));
                bridged.add(new CallBridge.BridgedCall(owner.getName().replace('.', '/'), method.getName(),
                    MethodTypeDesc.of(desc(method.getReturnType()), parameters(method)).descriptorString(), isStatic(method), name, stands));
            }
        }
        CALLS = names.keySet().stream().map(InterceptableCall::of).toList();
        BRIDGE = new CallBridge(NAME, generate(names), bridged);
    }

    private CallBridgeClass() {}

    /** Returns class MPI as this loader knows it, which never initializes it: every rank has its own, with the same methods. */
    private static Class<?> mpi() {
        try {
            return Class.forName(InterceptableCall.MPI_CLASS, false, CallBridgeClass.class.getClassLoader());
        } catch (final ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the public methods that a program calls on a class, inherited ones too, in an order that does not change. */
    private static List<Method> methods(final Class<?> owner) {
        return Arrays.stream(owner.getMethods())
            .filter(m -> m.getDeclaringClass().getPackageName().equals("mpi") && !m.isSynthetic() && !m.getDeclaringClass().isInterface()
                && Modifier.isPublic(m.getDeclaringClass().getModifiers()))
            .sorted(Comparator.comparing(Method::toString)).toList();
    }

    private static String unused(final String wanted, final String descriptor, final Set<String> used) {
        String name = wanted;
        while (!used.add(name + descriptor)) {
            name += "_";
        }
        return name;
    }

    private static boolean isStatic(final Method method) {
        return Modifier.isStatic(method.getModifiers());
    }

    private static ClassDesc desc(final Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    private static ClassDesc[] parameters(final Method method) {
        return Arrays.stream(method.getParameterTypes()).map(CallBridgeClass::desc).toArray(ClassDesc[]::new);
    }

    /** Returns the type of the method that stands in for another. */
    private static MethodTypeDesc type(final Method method) {
        final MethodTypeDesc own = MethodTypeDesc.of(desc(method.getReturnType()), parameters(method));
        return isStatic(method) ? own : own.insertParameterTypes(0, desc(method.getDeclaringClass()));
    }

    private static byte[] generate(final Map<Method, String> names) {
        return ClassFile.of().build(SELF, c -> {
            c.withFlags(AccessFlag.PUBLIC, AccessFlag.FINAL, AccessFlag.SUPER);
            c.withField(FIELD, INTERCEPTION, ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_FINAL);
            c.withMethodBody(ConstantDescs.CLASS_INIT_NAME, ConstantDescs.MTD_void, ClassFile.ACC_STATIC, code -> code.loadConstant(SELF)
                .invokevirtual(ConstantDescs.CD_Class, "getClassLoader", MethodTypeDesc.of(desc(ClassLoader.class)))
                .invokestatic(INTERCEPTION, "of", MethodTypeDesc.of(INTERCEPTION, desc(ClassLoader.class))).putstatic(SELF, FIELD, INTERCEPTION)
                .return_());
            int index = 0;
            for (final Map.Entry<Method, String> m : names.entrySet()) {
                final int call = index++;
                c.withMethodBody(m.getValue(), type(m.getKey()), ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, code -> body(code, m.getKey(), call));
            }
        });
    }

    /** Writes the body of a method: begin, the call, and end with its result or failure. */
    private static void body(final CodeBuilder code, final Method method, final int index) {
        final Class<?>[] parameters = method.getParameterTypes();
        final int first = isStatic(method) ? 0 : 1;
        code.getstatic(SELF, FIELD, INTERCEPTION).loadConstant(index);
        if (first == 0) {
            code.aconst_null();
        } else {
            code.aload(0);
        }
        code.loadConstant(parameters.length).anewarray(ConstantDescs.CD_Object);
        for (int p = 0; p < parameters.length; p++) {
            final TypeKind kind = TypeKind.from(parameters[p]);
            code.dup().loadConstant(p).loadLocal(kind, code.parameterSlot(first + p));
            box(code, kind);
            code.aastore();
        }
        final int call = code.allocateLocal(TypeKind.REFERENCE);
        code.invokevirtual(INTERCEPTION, "begin", MethodTypeDesc.of(CALL, ConstantDescs.CD_int, ConstantDescs.CD_Object,
            ConstantDescs.CD_Object.arrayType())).astore(call);
        final TypeKind kind = TypeKind.from(method.getReturnType());
        final boolean hasResult = kind != TypeKind.VOID;
        final int result = hasResult ? code.allocateLocal(kind) : -1;
        code.trying(tried -> {
            if (first == 1) {
                tried.aload(0);
            }
            for (int p = 0; p < parameters.length; p++) {
                tried.loadLocal(TypeKind.from(parameters[p]), tried.parameterSlot(first + p));
            }
            final MethodTypeDesc type = MethodTypeDesc.of(desc(method.getReturnType()), parameters(method));
            if (first == 0) {
                tried.invokestatic(desc(method.getDeclaringClass()), method.getName(), type);
            } else {
                tried.invokevirtual(desc(method.getDeclaringClass()), method.getName(), type);
            }
            if (hasResult) {
                tried.storeLocal(kind, result);
            }
        }, caught -> caught.catchingAll(handler -> {
            final int failure = handler.allocateLocal(TypeKind.REFERENCE);
            handler.astore(failure).getstatic(SELF, FIELD, INTERCEPTION).aload(call).aconst_null().aload(failure);
            end(handler);
            handler.aload(failure).athrow();
        }));
        code.getstatic(SELF, FIELD, INTERCEPTION).aload(call);
        if (hasResult) {
            code.loadLocal(kind, result);
            box(code, kind);
        } else {
            code.aconst_null();
        }
        code.aconst_null();
        end(code);
        if (hasResult) {
            code.loadLocal(kind, result);
        }
        code.return_(kind);
    }

    private static void end(final CodeBuilder code) {
        code.invokevirtual(INTERCEPTION, "end", MethodTypeDesc.of(ConstantDescs.CD_void, CALL, ConstantDescs.CD_Object, ConstantDescs.CD_Throwable));
    }

    private static void box(final CodeBuilder code, final TypeKind kind) {
        if (kind == TypeKind.REFERENCE) {
            return;
        }
        final ClassDesc primitive = kind.upperBound();
        final Class<?> wrapper = switch (kind) {
            case BOOLEAN -> Boolean.class;
            case BYTE -> Byte.class;
            case CHAR -> Character.class;
            case SHORT -> Short.class;
            case INT -> Integer.class;
            case LONG -> Long.class;
            case FLOAT -> Float.class;
            case DOUBLE -> Double.class;
            case REFERENCE, VOID -> throw new IllegalArgumentException("nothing to box: " + kind);
        };
        code.invokestatic(desc(wrapper), "valueOf", MethodTypeDesc.of(desc(wrapper), primitive));
    }
}
