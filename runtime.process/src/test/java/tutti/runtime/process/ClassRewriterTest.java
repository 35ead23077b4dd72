package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.rewrite.ClassRewriter;

class ClassRewriterTest {
    private static final String BRIDGE = "tutti/runtime/process/RankSystem";

    @TempDir
    Path temp;

    private byte[] compile(final String body) throws IOException {
        Programs.compile(temp, Map.of("App", "import java.util.function.*; class App { static long wide = 1L << 40; " + body + " }"));
        return Files.readAllBytes(temp.resolve("App.class"));
    }

    private static List<String> uses(final byte[] file) {
        final ClassModel model = ClassFile.of().parse(file);
        return model.methods().stream().flatMap(ClassRewriterTest::uses).toList();
    }

    private static Stream<String> uses(final MethodModel method) {
        return method.code().stream().flatMap(code -> code.elementStream()).mapMulti((element, found) -> {
            if (element instanceof InvokeInstruction i) {
                found.accept(i.opcode().name() + " " + i.owner().asInternalName() + "." + i.name().stringValue() + i.type().stringValue());
            } else if (element instanceof FieldInstruction i) {
                found.accept(i.opcode().name() + " " + i.owner().asInternalName() + "." + i.name().stringValue());
            }
        });
    }

    @Test
    void shouldRedirectEveryKindOfUse() throws IOException {
        final byte[] rewritten = ClassRewriter.rewrite(compile("""
            static void all(Runtime r, Thread t) throws Exception {
                System.setOut(System.err); System.setErr(System.out); System.setIn(System.in);
                System.exit(1); r.exit(2); r.halt(3); r.addShutdownHook(t); r.removeShutdownHook(t);
                System.getenv(System.getenv() == null ? "A" : "B");
                Thread.setDefaultUncaughtExceptionHandler(Thread.getDefaultUncaughtExceptionHandler());
            }"""), RankSystem.REDIRECTIONS);
        final List<String> uses = uses(rewritten);
        assertEquals(List.of(), uses.stream().filter(use -> !use.contains("<init>") && !use.contains(BRIDGE) && !use.contains("App.wide")).toList());
        assertTrue(uses.contains("INVOKESTATIC " + BRIDGE + ".halt(Ljava/lang/Runtime;I)V"));
        assertTrue(uses.contains("INVOKESTATIC " + BRIDGE + ".in()Ljava/io/InputStream;"));
        assertEquals(List.of(), ClassFile.of().verify(rewritten));
    }

    @Test
    void shouldNotRedirectOtherMembersOfTheSameClasses() throws IOException {
        final byte[] original = compile("static long other(Runtime r) { r.gc(); return System.nanoTime() + r.freeMemory(); }");
        assertSame(original, ClassRewriter.rewrite(original, RankSystem.REDIRECTIONS));
    }

    @Test
    void shouldNotRedirectAnOwnClassNamedSystem() throws IOException {
        final byte[] original = compile("static void x() { System.exit(System.out); }"
            + "static class System { static int out; static void exit(int i) { } }");
        assertSame(original, ClassRewriter.rewrite(original, RankSystem.REDIRECTIONS));
    }

    @Test
    void shouldReturnInvalidClassFilesUnchanged() throws IOException {
        final byte[] good = compile("static void x() { System.exit(1); }");
        for (int length = 0; length < good.length; length++) {
            final byte[] torn = Arrays.copyOf(good, length);
            assertEquals(length, Math.min(length, ClassRewriter.rewrite(torn, RankSystem.REDIRECTIONS).length));
        }
        final byte[] noise = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        assertSame(noise, ClassRewriter.rewrite(noise, RankSystem.REDIRECTIONS));
    }

    @Test
    void shouldNotChangeTheBytesGiven() throws IOException {
        final byte[] good = compile("static void x() { System.exit(1); System.out.println(); }");
        final byte[] copy = good.clone();
        ClassRewriter.rewrite(good, RankSystem.REDIRECTIONS);
        assertArrayEquals(copy, good);
    }
}
