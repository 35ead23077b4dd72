package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Source code that uses the listed members compiles against package mpi, which has overloads beyond the listing. */
class InterfaceSourceTest {
    @TempDir
    private Path classes;

    /** Generates a method for each listed one: it calls that with arguments of the listed types, and catches the listed exception. */
    @Test
    void shouldCompileAProgramThatUsesEveryListedMethodAndConstant() throws Exception {
        final StringBuilder program = new StringBuilder("final class Program {\n");
        int n = 0;
        for (final InterfaceListing.Type type : InterfaceListing.read()) {
            final Set<String> seen = new HashSet<>();
            for (final InterfaceListing.Method method : type.methods()) {
                // of methods that differ in the result only, source code sees the first
                final boolean isSeen = seen.add(method.name() + method.parameters());
                if (isSeen && (!method.isConstructor() || !type.isAbstract())) {
                    program.append(callOf(type, method, n++));
                }
            }
            for (final InterfaceListing.Field field : type.fields()) {
                program.append("    static final %s F%d = %s.%s;\n".formatted(source(field.type()), n++, source(type.name()), field.name()));
            }
        }
        assertEquals("", compile(program.append("}\n").toString()));
    }

    private static String callOf(final InterfaceListing.Type type, final InterfaceListing.Method method, final int number) {
        final List<String> parameters = new ArrayList<>();
        parameters.add(source(type.name()) + " on");
        for (int i = 0; i < method.parameters().size(); i++) {
            parameters.add(source(method.parameters().get(i)) + " a" + i);
        }
        final String thrown = method.thrown();
        final String body = (method.isConstructor() || "void".equals(method.result()) ? "" : source(method.result()) + " r = ")
            + expression(type, method) + ";";
        return "    static void m%d(%s) { %s }\n".formatted(number, String.join(", ", parameters),
            thrown == null ? body : "try { " + body + " } catch (" + thrown + " e) { }");
    }

    private static String expression(final InterfaceListing.Type type, final InterfaceListing.Method method) {
        if (method.isConstructor()) {
            final boolean isInner = type.name().contains("$");
            final String name = source(type.name());
            return (isInner ? "a0.new " + name.substring(name.lastIndexOf('.') + 1) : "new " + name) + arguments(method, isInner ? 1 : 0);
        }
        return (method.isStatic() ? source(type.name()) : "on") + "." + method.name() + arguments(method, 0);
    }

    private static String arguments(final InterfaceListing.Method method, final int from) {
        return IntStream.range(from, method.parameters().size()).mapToObj(i -> "a" + i).collect(Collectors.joining(", ", "(", ")"));
    }

    private static String source(final String binaryName) {
        return binaryName.replace('$', '.');
    }

    /** Arguments that are significant at other ranks only are often written as null and 0. */
    @Test
    void shouldPreferTheListedFormWhereArgumentsAreNull() throws Exception {
        assertEquals("", compile("""
            import java.nio.*;
            import mpi.*;
            final class Program {
                static void use(Intracomm c, Datatype t, Op op, IntBuffer b, int[] a, int[] n, int k) throws MPIException {
                    c.gather(a, k, t, null, 0, t, 0);
                    c.gather(a, k, t, null, 0, null, 0);
                    c.scatter(null, 0, t, a, k, t, 0);
                    c.gatherv(a, k, t, null, null, null, t, 0);
                    c.gatherv(a, k, t, null, null, null, null, 0);
                    c.scatterv(null, null, null, t, a, k, t, 0);
                    c.reduce(a, null, k, t, op, 0);
                    c.iGather(b, k, t, null, 0, t, 0);
                    c.iScatter(null, 0, t, b, k, t, 0);
                    c.iGatherv(b, k, t, null, null, null, t, 0);
                    c.iScatterv(null, null, null, t, b, k, t, 0);
                    c.iReduce(b, null, k, t, op, 0);
                    c.iBcast(null, 0, t, 0);
                    c.gatherInit(b, k, t, null, 0, t, 0);
                    c.gathervInit(b, k, t, null, null, null, t, 0);
                }
            }
            """));
    }

    /** Forms beyond the listing: arrays, long counts and arrays of long counts in every mode. */
    @Test
    void shouldTakeArraysAndLongCountsInEveryMode() throws Exception {
        assertEquals("", compile("""
            import java.nio.*;
            import mpi.*;
            final class Program {
                static void use(Intracomm c, Datatype t, Op op, Datatype[] ts, double[] a, int[] n, long[] l, long k) throws MPIException {
                    c.bcast(a, k, t, 0);
                    c.gatherv(a, k, t, a, l, l, t, 0);
                    c.allToAllv(a, l, l, t, a, l, l, t);
                    c.allToAllv(a, l, l, t);
                    c.allToAllw(a, n, n, ts);
                    c.allToAll(a, 1, t);
                    c.neighborAllToAllw(a, l, l, ts, a, l, l, ts);
                    c.exScan(a, a, k, t, op);
                    Request[] r = {c.iBcast(a, 4, t, 0), c.iBcast(MPI.slice(a, 2), k, t, 0), c.iGatherv(a, 1, t, a, n, n, t, 0),
                        c.iAllGatherv(a, 1, t, a, n, n, t), c.iAllGatherv(a, 1, t, a, l, l, t), c.iAllToAll(a, 1, t), c.iScan(a, k, t, op),
                        c.iNeighborAllToAllw(a, n, n, ts, a, n, n, ts), c.iReduceScatter(a, a, l, t, op), c.iNeighborAllGather(a, 1, t, a, 1, t)};
                    Prequest[] p = {c.barrierInit(), c.bcastInit(a, 4, t, 0), c.gathervInit(a, 1, t, a, n, n, t, 0), c.allReduceInit(a, k, t, op),
                        c.scanInit(a, a, 1, t, op), c.exScanInit(a, 1, t, op), c.allToAllwInit(a, l, l, ts), c.neighborAllToAllInit(a, 1, t, a, 1, t),
                        c.reduceScatterBlockInit(a, 1, t, op), c.scattervInit(a, n, n, t, a, 1, t, 0)};
                    Prequest.startAll(p);
                }
            }
            """));
    }

    private String compile(final String program) throws Exception {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        final JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(final boolean ignoreEncodingErrors) {
                return program;
            }
        };
        final String mpi = Path.of(MpiClasses.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        compiler.getTask(new StringWriter(), null, found, List.of("-d", classes.toString(), "-classpath", mpi, "-proc:none", "-Xmaxerrs", "1000"),
            null, List.of(file)).call();
        return found.getDiagnostics().stream().filter(d -> d.getKind() == Diagnostic.Kind.ERROR)
            .map(d -> program.lines().skip(d.getLineNumber() - 1).findFirst().orElse("") + ": " + d.getMessage(null)).distinct()
            .collect(Collectors.joining("\n"));
    }
}
