# The three ways a weft target is made: a library, the tests beside its sources, and embedded text files.

# g++ 12 sees overlapping copies where there are none in `"literal" + std::string()` (its bug 105651).
set(WEFT_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

function(weft_common target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                               $<INSTALL_INTERFACE:include/weft>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE ${WEFT_WARNINGS})
  if(WEFT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${WEFT_SANITIZE})
  endif()
endfunction()

# weft_library(NAME DIR …): every .cpp below the folders that is no test.
function(weft_library target)
  set(sources)
  foreach(dir ${ARGN})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${dir}/*.cpp)
    list(FILTER found EXCLUDE REGEX "(_test\\.cpp$|/testing/)")
    list(APPEND sources ${found})
  endforeach()
  add_library(${target} STATIC ${sources})
  add_library(weft::${target} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME weft_${target})
  weft_common(${target})
endfunction()

if(WEFT_TESTS)
  include(GoogleTest)
  add_custom_target(unit_tests)  # builds all that `ctest -L unit` runs
endif()

# weft_unit_tests(TARGET DIR …): one executable of all *_test.cpp below the folders, each case known to ctest.
function(weft_unit_tests target)
  if(NOT WEFT_TESTS)
    return()
  endif()
  set(sources)
  foreach(dir ${ARGN})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${dir}/*_test.cpp)
    list(APPEND sources ${found})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_executable(${target}_tests ${sources})
  weft_common(${target}_tests)
  target_link_libraries(${target}_tests PRIVATE ${target} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target}_tests PRIVATE WEFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_dependencies(unit_tests ${target}_tests)
  gtest_discover_tests(${target}_tests DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600 LABELS unit)
endfunction()

# weft_embed(TARGET SYMBOL FILE …): adds `std::span<const weft::EmbeddedFile> SYMBOL()` with the files' text;
# paths are kept relative to the source folder. SYMBOL is namespace::function.
function(weft_embed target symbol)
  string(REPLACE "::" "_" base ${symbol})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embed_${base}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} -DROOT=${PROJECT_SOURCE_DIR} "-DFILES=${ARGN}" -P
            ${PROJECT_SOURCE_DIR}/scripts/cmake/embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/scripts/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
