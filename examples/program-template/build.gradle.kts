// The same build for Gradle: gradle -Ptutti.home=/path/to/tutti build
plugins {
    java
}

repositories {
    maven { url = uri(file(providers.gradleProperty("tutti.home").getOrElse("../..")).resolve("dist/target/tutti/repository")) }
    mavenCentral()
}

dependencies {
    // nodes have package mpi, and all that it needs
    compileOnly("tutti:tutti.mpi.api:0.1.0-SNAPSHOT") { isTransitive = false }
    testImplementation("tutti:tutti.junit:0.1.0-SNAPSHOT")
    testImplementation("org.junit.jupiter:junit-jupiter:5.14.4")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

java {
    toolchain { languageVersion = JavaLanguageVersion.of(25) }
}

tasks.test {
    useJUnitPlatform()
}

tasks.jar {
    manifest { attributes("Main-Class" to "com.example.Sum") }
}
