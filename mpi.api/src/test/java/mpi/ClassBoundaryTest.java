package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tutti.mpi.MpiClasses;
import tutti.mpi.programs.Bench;
import tutti.mpi.programs.Explain;
import tutti.mpi.programs.ExplainPlan;
import tutti.mpi.programs.Tune;
import tutti.mpi.programs.WarmUp;

/**
 * Class MPI is defined by every rank, all other classes are shared: references across that boundary are limited. Shared classes have the values of
 * MPI's constants, which the compiler copies.
 */
class ClassBoundaryTest {
    private static final Map<String, ClassModel> CLASSES = read();
    private static final List<String> EXCEPTIONS = List.of("mpi/MPIException", "mpi/ProcessFailedException", "mpi/RevokedException");

    private static Map<String, ClassModel> read() {
        try (Stream<Path> files = Files.list(Path.of(MpiClasses.class.getProtectionDomain().getCodeSource().getLocation().toURI()).resolve("mpi"))) {
            final List<ClassModel> models = new ArrayList<>();
            for (final Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                models.add(ClassFile.of().parse(withoutUnusedEntries(ClassFile.of().parse(file))));
            }
            return models.stream().collect(Collectors.toMap(m -> m.thisClass().asInternalName(), m -> m));
        } catch (final IOException | java.net.URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Drops the entries that javac makes for the class of every constant that it copies, and that nothing uses. */
    private static byte[] withoutUnusedEntries(final ClassModel model) {
        return ClassFile.of(ClassFile.ConstantPoolSharingOption.NEW_POOL).transformClass(model, ClassTransform.ACCEPT_ALL);
    }

    @Test
    void shouldHaveNoSharedClassThatRefersToClassMpi() {
        final List<String> wrong = new ArrayList<>();
        CLASSES.forEach((name, model) -> {
            for (final PoolEntry entry : model.constantPool()) {
                if (!"mpi/MPI".equals(name) && entry instanceof ClassEntry c && "mpi/MPI".equals(c.asInternalName())) {
                    wrong.add(name);
                }
            }
        });
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldHaveClassMpiReferToPublicClassesAndMembersOfPackageMpiOnly() throws Exception {
        final ClassModel mpi = CLASSES.get("mpi/MPI");
        int members = 0;
        for (final PoolEntry entry : mpi.constantPool()) {
            if (entry instanceof ClassEntry c && c.asInternalName().startsWith("mpi/")) {
                assertTrue(CLASSES.get(c.asInternalName()).flags().has(AccessFlag.PUBLIC), c.asInternalName());
            }
            if (entry instanceof ClassEntry c && !c.asInternalName().startsWith("[")) {
                assertTrue(c.asInternalName().startsWith("mpi/") || c.asInternalName().startsWith("java/"), c.asInternalName());
            }
            if (entry instanceof MemberRefEntry m && m.owner().asInternalName().startsWith("mpi/")
                && !"mpi/MPI".equals(m.owner().asInternalName())) {
                assertTrue(isPublic(m), m.owner().asInternalName() + "." + m.name().stringValue());
                members++;
            }
        }
        assertTrue(members > 20, "members=" + members);
    }

    @Test
    void shouldCreateExceptionsOnlyWhereErrorHandlersAreInvoked() {
        final List<String> wrong = new ArrayList<>();
        CLASSES.forEach((name, model) -> {
            for (final PoolEntry entry : model.constantPool()) {
                if (entry instanceof MemberRefEntry m && EXCEPTIONS.contains(m.owner().asInternalName()) && m.name().equalsString("<init>")
                    && !name.equals("mpi/ErrorHandling") && !EXCEPTIONS.contains(name)) {
                    wrong.add(name);
                }
            }
        });
        assertEquals(List.of(), wrong);
    }

    private static boolean isPublic(final MemberRefEntry member) {
        final ClassModel owner = CLASSES.get(member.owner().asInternalName());
        final Stream<Boolean> methods = owner.methods().stream()
            .filter(m -> m.methodName().equals(member.name()) && m.methodType().equals(member.type())).map(m -> m.flags().has(AccessFlag.PUBLIC));
        final Stream<Boolean> fields = owner.fields().stream()
            .filter(f -> f.fieldName().equals(member.name())).map(f -> f.flags().has(AccessFlag.PUBLIC));
        return Stream.concat(methods, fields).findAny().orElse(false);
    }

    @Test
    void shouldHaveClassMpiStandAlone() {
        assertTrue(CLASSES.keySet().stream().noneMatch(name -> name.startsWith("mpi/MPI$")), CLASSES.keySet().toString());
        assertEquals(List.of("mpi.MPI", Bench.class.getName(), Explain.class.getName(), ExplainPlan.class.getName(),
            Explain.class.getPackageName() + ".RepeatedCall", Tune.class.getName(),
            Tune.class.getPackageName() + ".TwoGroups", WarmUp.class.getName(), Tune.class.getPackageName() + ".WindowCalls"),
            new MpiClasses().perRank());
        assertEquals(List.of("mpi", "tutti.checkpoint", "tutti.mpi.interception", Explain.class.getPackageName()), new MpiClasses().packages());
    }

    /** A nested class would be shared, and in another package of the JVM than the class of the rank. */
    @Test
    void shouldHaveNoNestedClassesInProgramsOfARank() {
        for (final String program : new MpiClasses().perRank()) {
            final String nested = program.replace('.', '/') + "$";
            assertTrue(CLASSES.keySet().stream().noneMatch(name -> name.startsWith(nested)), program);
        }
    }

    /** Classes were once split by inheritance to keep them short: Comm, Intracomm and CartComm are the deepest that the interface asks for. */
    @Test
    void shouldHaveNoClassBelowTheThirdLevelOfThePackage() {
        CLASSES.keySet().forEach(name -> assertTrue(level(name) <= 3, name));
    }

    private static int level(final String name) {
        final ClassModel model = CLASSES.get(name);
        return model == null ? 0 : 1 + model.superclass().map(s -> level(s.asInternalName())).orElse(0);
    }

    /** Returns the value of an int constant of class MPI. */
    static int constant(final String name) {
        return (Integer) constant(CLASSES.get("mpi/MPI"), name);
    }

    private static Object constant(final ClassModel model, final String name) {
        final FieldModel field = model.fields().stream().filter(f -> f.fieldName().equalsString(name)).findAny().orElseThrow();
        return ((ConstantValueAttribute) field.attributes().stream().filter(ConstantValueAttribute.class::isInstance).findAny().orElseThrow())
            .constant().constantValue();
    }
}
